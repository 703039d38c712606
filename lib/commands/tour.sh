#!/bin/sh
# tour.sh OUT BUILD FOLDER... -- OPTION...: the workbook's main job once, solved: measures this machine,
# judges three solutions, draws what they reached into the roofline. MACHINE is the command that measures.
out=$1 build=$2
shift 2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

echo
echo "1. This machine, measured (a quick look; make machine measures longer)"
echo
if ! sh -c "$MACHINE --quick --only tables" 2>&1; then # the roofline is drawn at the end, with points in it
    echo "The machine could not be measured; the solutions bring their own measurement."
fi

echo "2. Three exercises, solved"
echo
REPORTS=1 POINTS=$work/points sh lib/commands/solutions.sh "$out" "$build" "$@"
status=$?

echo "3. The roofline of this machine, and where these solutions are"
echo
sh -c "$MACHINE --show --only roofline --points '$work/points'" 2>&1
echo
cat "$build/reports/table"
echo
if [ $status = 0 ]; then
    echo " That is where you are going. Begin: make exercise-1    Menu: make"
else
    echo " Not every solution passed: a busy machine does that. Again: make tour"
fi
exit $status
