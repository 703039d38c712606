#!/usr/bin/env bats
# The command behind `make bench`. The figures are not judged here: a test that times is wrong on a bad
# day, and one thread does not wait for others of a busy machine. BIN: where the built commands are.

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    bench=${BIN:-build/gcc/bin}/bench
    [ -x "$bench" ] || skip "$bench is not built: make all"
    out=$BATS_TEST_TMPDIR/bench.tsv
}

@test "every sparse kernel of the table is run on the matrix that is named" {
    all=
    for matrix in fem3:5x4x3 stencil27:6x5x4; do # blocks, and diagonals
        OMP_WAIT_POLICY=passive run "$bench" --matrix "$matrix" --quick --only "spmv spmm" --out "$out"
        [ "$status" -eq 0 ]
        all="$all$output"
        cat "$out" >>"$out.all"
    done
    kernels=$(sed -n '/mixed/d; s/.*ROW(\(spw_spm[vm]_[a-z]*_\(ref\|omp[a-z_]*\)\),.*/\1/p' lib/kernels/kernels.c)
    [ "$(printf '%s\n' "$kernels" | wc -l)" -ge 20 ]
    for kernel in $kernels; do
        [[ "$all" == *" $kernel "* ]]
        grep -q "	\(fem3:5x4x3\|stencil27:6x5x4\)[^	]*	$kernel	" "$out.all"
    done
}

@test "the file is a table of tabs, the same number in every line" {
    run "$bench" --matrix springs --quick --threads 1 --only spmv --out "$out"
    [ "$(awk -F'\t' '{ print NF }' "$out" | sort -u)" = 15 ]
    [ "$(wc -l <"$out")" -ge 9 ]
    [[ $(head -1 "$out") == date$'\t'machine$'\t'threads* ]]
}

@test "an unknown matrix gets one line and no file" {
    run "$bench" --matrix nosuch --out "$out"
    [ "$status" -eq 1 ]
    [[ "$output" == *"bench: nosuch: no such file"* ]]
    [ ! -e "$out" ]
}

@test "an unknown option, a missing value and a bad number are refused" {
    run "$bench" --fast
    [ "$status" -eq 1 ]
    [[ "$output" == "bench: '--fast' is no option; "* ]]
    run "$bench" --matrix
    [ "$status" -eq 1 ]
    [ "$output" = "bench: --matrix needs a value" ]
    for threads in 0 -1 two 3x; do
        run "$bench" --threads $threads
        [ "$status" -eq 1 ]
        [ "$output" = "bench: THREADS is '$threads', must be a whole number from 1 to 4096" ]
    done
}

@test "a subject that there is not is refused, one that there is runs alone" {
    run "$bench" --only "spmv speed" --out "$out"
    [ "$status" -eq 1 ]
    [[ "$output" == "bench: --only: there is no 'speed'; there are "* ]]
    grep -q "some of: ${output##*there are } |" README.md
    run "$bench" --quick --threads 1 --only make --matrix springs --out "$out"
    [ "$status" -eq 0 ]
    grep -q "	csr-to-format	springs	" "$out"
    ! grep -q "	spmv	" "$out"
}

@test "blocks of vectors stand beside dgemm, where there is one" {
    run "$bench" --quick --threads 1 --only block --out "$out"
    [ "$status" -eq 0 ]
    for kernel in spw_gram_omp spw_combine_omp spw_residual_omp; do
        grep -q "	block	100000 rows, 16 columns	$kernel	" "$out"
    done
    dgemm=$(grep -c "	cblas_dgemm	" "$out") || true
    [ "$dgemm" = "$(grep -c "	block-best	.*, against the best peer	" "$out")" ]
    expected=0
    ! nm -D "$bench" | grep -q cblas_dgemm || expected=2
    [ "$dgemm" = "$expected" ]
}

@test "vectors, updates in place and uneven rows have a row for each kernel" {
    run "$bench" --quick --threads 1 --only "vectors uneven" --out "$out"
    [ "$status" -eq 0 ]
    for kernel in spw_triad_omp spw_cg_step_omp spw_combine_omp; do grep -q "	$kernel	" "$out"; done
    grep -q "	uneven	" "$out"
}

@test "triangles and preconditioners of a matrix that is named, only where they are asked for" {
    run "$bench" --quick --threads 1 --only "trsv precond" --matrix laplace2d:12x12 --out "$out"
    [ "$status" -eq 0 ]
    for kernel in spw_trsv_csr_ref spw_trsv_csr_omp_wait "ic0: set-up" "spai: application"; do
        grep -q "	laplace2d:12x12	$kernel	" "$out"
    done
    run "$bench" --quick --only precond --matrix random:20x30x2 --out "$out"
    [ "$status" -eq 1 ]
    [[ "$output" == *"bench: preconditioners of random:20x30x2: "*" square"* ]]
}

@test "a file that cannot be written is told before anything is measured" {
    run timeout 5 "$bench" --matrix springs --quick --out /nonexistent/bench.tsv
    [ "$status" -eq 1 ]
    [[ "$output" == *"/nonexistent/bench.tsv.partial: No such file or directory"* ]]
}

# --- other libraries, here such as need none ---

peers()
{
    sh lib/commands/peers/build.sh tests/commands/peers "$BATS_TEST_TMPDIR/peers" "$@"
}

with_peers()
{
    run "$bench" --quick --threads 1 --only spmv --matrix springs --limit 2 --peers "$BATS_TEST_TMPDIR/peers" --out "$out"
}

# Another bench may be under way: what is in shared memory must have an owner that lives.
left_nothing()
{
    [ -z "$(ls -d "$BATS_TEST_TMPDIR"/peers/run-* 2>/dev/null)" ]
    for file in /dev/shm/spw-bench-*; do
        [ ! -e "$file" ] || kill -0 "${file##*-}"
    done
    ! pgrep -f "$BATS_TEST_TMPDIR/peers/" >/dev/null
}

@test "a peer is checked and timed, what it refuses is said, half the matrix is told apart" {
    peers right
    with_peers
    [ "$status" -eq 0 ]
    [[ "$output" == *"  fake 1.2"* ]]
    [[ "$output" == *"right unwilling is left out: it has 2 thumbs"* ]]
    [[ "$output" == *"  right plain "*" GF/s "* ]]
    [[ "$output" == *" / right plain"* ]]
    [[ "$output" == *"  right twofold "*" GF/s "* ]]
    # raced only against those of ours that move less than all of A, if the matrix has such
    [ -z "$(grep -A 1 ' / right twofold' <<<"$output" | grep -v ' / right twofold\|of that kind')" ]
    grep -q "	spmv	springs	right plain	" "$out"
    ! grep -q juggle "$out"
    left_nothing
}

@test "a wrong peer is said to be wrong and not timed; the others go on" {
    peers right wrong
    with_peers
    [ "$status" -eq 0 ]
    [[ "$output" == *"wrong plain is WRONG and not timed: 1 of 5 entries, the first one y[4] = "* ]]
    grep -q "	right plain	" "$out"
    ! grep -q "	wrong plain	" "$out"
    left_nothing
}

@test "a solver's iterate and the residual of its answer are checked; iterations and set-up stand beside its time" {
    peers right wrong
    run "$bench" --quick --threads 1 --only "cg pcg" --matrix laplace2d:20x20 --peers "$BATS_TEST_TMPDIR/peers" --out "$out"
    [ "$status" -eq 0 ]
    [[ "$output" == *"wrong plain is WRONG and not timed: its iterate is off ours by "* ]]
    [[ "$output" =~ "wrong jacobi is WRONG and not timed: after "[0-9]+" iterations its residual is " ]]
    awk -F'\t' '$4 == "cg" && $6 == "right plain" && $8 == "ms" && $7 > 0.05 { a = 1 }
        $4 == "pcg" && $6 == "right jacobi" && $15 ~ /^[1-9][0-9]* iterations, set-up 0.25 s$/ { b = 1 }
        $4 == "pcg" && $6 == "ic0" && $15 ~ /iterations/ { c = 1 }
        $6 ~ /^wrong/ { d = 1 } END { exit !(a && b && c && !d) }' "$out"
    left_nothing
}

@test "eigenvalues of a peer come from its vectors, which must be orthogonal" {
    peers right wrong
    run "$bench" --quick --threads 1 --only eigen --matrix laplace2d:20x20 --peers "$BATS_TEST_TMPDIR/peers" --out "$out"
    [ "$status" -eq 0 ]
    [[ "$output" =~ "wrong lobpcg is WRONG and not timed: its vectors "[0-9]+" and 15 are not orthogonal: cosine " ]]
    # the same iterations, so the same error, with a block and one by one; a guess alone has nothing right
    awk -F'\t' '$4 != "eigen" { next } { split($15, word, " ") }
        $6 == "products with a block" { a = word[4]; if ($15 !~ /^30 iterations, error /) exit 1 }
        $6 == "single products" { b = word[4] } $6 == "right lobpcg" { c = word[4] } $6 ~ /^wrong/ { exit 1 }
        END { exit !(a > 0 && a < 0.1 && b > 0.9 * a && b < 1.1 * a && c > 1) }' "$out"
    left_nothing
    run "$bench" --quick --threads 1 --only eigen --matrix laplace2d:9x9 --out "$out"
    [ "$status" -eq 1 ]
    [[ "$output" == *"bench: LOBPCG on laplace2d:9x9, 16 vectors: 81 rows are too few for 16 vectors"* ]]
}

@test "CG is not timed where it is no method for the matrix" {
    run "$bench" --quick --only cg --matrix convdiff2d:20 --out "$out"
    [ "$status" -eq 1 ]
    [[ "$output" == *"bench: CG on convdiff2d:20: it is not symmetric: |a_ij - a_ji| is up to "* ]]
}

@test "a peer that dies is out, and said so; the others go on" {
    peers right dies
    with_peers
    [ "$status" -eq 0 ]
    [[ "$output" == *"dies is left out from here on: it died of signal 6, Aborted, at 'run 0 1'"* ]]
    grep -q "	right plain	" "$out"
    ! grep -q "	dies plain	" "$out"
    left_nothing
}

@test "a peer that hangs is ended, and said so; the others go on" {
    peers right hangs
    with_peers
    [ "$status" -eq 0 ]
    [[ "$output" == *"hangs is left out from here on: no answer within 2 s at 'run 0 1'"* ]]
    grep -q "	right plain	" "$out"
    ! grep -q "	hangs plain	" "$out"
    left_nothing
}

@test "a peer that is not installed is one line, with the reason and what to install" {
    peers right absent
    with_peers
    [ "$status" -eq 0 ]
    [[ "$output" == *"  absent is not there: absent/absent.h: No such file or directory; install: libabsent-dev"* ]]
    run peers nosuch
    [ "$status" -eq 2 ]
    [[ "$output" == "PEERS: there is no 'nosuch'; there are: "*right*", and no for none" ]]
}

@test "broken off, it leaves no shared memory and no process" {
    peers hangs
    "$bench" --quick --threads 1 --only spmv --matrix springs --limit 50 --peers "$BATS_TEST_TMPDIR/peers" --out "$out" \
        >"$out.log" 2>&1 3>&- &
    pid=$!
    for try in $(seq 100); do
        [ -e "/dev/shm/spw-bench-$pid" ] && break
        sleep 0.1
    done
    sleep 1 # the peer hangs by now
    pgrep -f "$BATS_TEST_TMPDIR/peers/hangs"
    kill "$pid"
    wait "$pid" || true
    [ ! -e "/dev/shm/spw-bench-$pid" ]
    for try in $(seq 50); do
        pgrep -f "$BATS_TEST_TMPDIR/peers/hangs" || break
        sleep 0.1
    done
    ! pgrep -f "$BATS_TEST_TMPDIR/peers/hangs"
}

@test "PEERS=no starts nothing" {
    run make -s bench PEERS=no QUICK=1 ONLY=make MATRIX=springs THREADS=1 OUT_FILE="$out" BUILD="${BUILD:-build}"
    [ "$status" -eq 0 ]
    [[ "$output" != *"Peers"* ]]
}

@test "where no peer can be built, nothing is left in the folder" {
    peers absent
    with_peers
    [ "$status" -eq 0 ]
    [ "$(find "$BATS_TEST_TMPDIR/peers" -name 'run-*' | wc -l)" -eq 0 ]
}

@test "a peer's first lines say what it needs and how it is built" {
    for plugin in $(ls lib/commands/peers/*.c* | grep -v /peer.c); do
        head -20 "$plugin" | grep -q '^ \* needs: '
        head -20 "$plugin" | grep -q '^ \* build: '
    done
}

@test "the README names every peer" {
    line=$(grep '^| `make bench`' README.md)
    for plugin in $(ls lib/commands/peers/*.c* | grep -v /peer.c); do
        name=$(basename "${plugin%.*}")
        [[ "${line,,}" =~ [\ ,]$name[,\ ] ]] || { echo "README.md: make bench has no $name"; return 1; }
    done
}
