#!/usr/bin/env bats
# The modelled clock of lib/ranks beside SimGrid's, where that is installed (libsimgrid-dev): weak scaling of one case on
# a fat tree. tests/ranks/test_ranks.c has the clock's own figures, to the last digit.

# simulated X Y Z: microseconds of an iteration of so many ranks
simulated()
{
    smpirun -np $(($1 * $2 * $3)) -platform fat.xml -hostfile hosts --cfg=smpi/simulate-computation:no \
        --cfg=smpi/host-speed:1Gf --log=root.thres:critical ./halo "$@" 2>/dev/null | tail -n 1
}

@test "SimGrid's iteration is within 10 % of the clock's, on 8 and on 64 ranks of a fat tree" {
    command -v smpicc >/dev/null && command -v smpirun >/dev/null || skip 'no SimGrid here (libsimgrid-dev)'
    tests=$BATS_TEST_DIRNAME/..
    cd "$BATS_TEST_TMPDIR"
    smpicc -O2 "$tests/ranks/smpi.c" -o halo
    cat >fat.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
    <cluster id="fat" prefix="n" radical="0-1023" suffix="" speed="1Gf" bw="12.5GBps" lat="0.5us" loopback_bw="20GBps"
      loopback_lat="0.1us" topology="FAT_TREE" topo_parameters="2;32,32;1,16;1,2" sharing_policy="SPLITDUPLEX"/>
  </zone>
</platform>
END
    seq -f 'n%g' 0 63 >hosts
    # 721.5 + 35.3 + posts and waits, 14 or 52 of 0.6 µs, + 2 sums of 3 or 6 stages of 1.6 µs
    for case in '2 2 2 774.8' '4 4 4 807.2'; do
        set -- $case
        t=$(simulated "$1" "$2" "$3")
        echo "$1 x $2 x $3 ranks: SimGrid $t µs, the clock $4 µs"
        awk -v t="$t" -v clock="$4" 'BEGIN { exit !(t > 0.9 * clock && t < 1.1 * clock) }'
    done
}
