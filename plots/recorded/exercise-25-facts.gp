cpu = "Piz Daint: nodes of a Sandy Bridge CPU, one of them with a K20X"
date = '2017'
