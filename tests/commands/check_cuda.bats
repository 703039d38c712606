#!/usr/bin/env bats
# make check-cuda: whole CUDA programs on the checker. BUILD: the folder of all products.

setup_file()
{
    cd "$BATS_TEST_DIRNAME/../.."
    export build=${BUILD:-build} programs=$PWD/tests/commands/programs SIMT_LINT=no
    make -s -j2 BUILD="$build" NVCC=no check-cuda FILE="$programs/right.cu" >"$BATS_FILE_TMPDIR/right" 2>&1
}

setup() { cd "$BATS_TEST_DIRNAME/../.."; }

# checked FILE VARIABLE=VALUE...: what is said of it, make's own words left out
checked()
{
    run make -s BUILD="$build" NVCC=no check-cuda FILE="$1" "${@:2}"
    output=$(grep -v '^make.*\*\*\*' <<<"$output")
    echo "$output"
}

# program TEXT: the path of a file that holds it
program()
{
    printf '%s\n' "$1" >"$BATS_TEST_TMPDIR/my.cu"
    echo "$BATS_TEST_TMPDIR/my.cu"
}

@test "a right program: its output, no mistake, and the traffic of each kernel and line" {
    run cat "$BATS_FILE_TMPDIR/right"
    echo "$output"
    [[ $output == "sum 1000"* ]]
    [[ $output == *" RUN      ok     status 0; "* ]]
    [[ $output == *" TRAFFIC  modelled by the checker"* ]]
    # 1000 doubles are 250 sectors
    grep -Eq '^ +[0-9]+ x +load .* 250 ' <<<"$output"
    grep -Eq '^ +[0-9]+ total +atomic ' <<<"$output"
    grep -Eq '^ +[0-9]+ part +store ' <<<"$output"
    [[ $output == *"Timeline (modelled): copies at 63 GB/s each way, kernels at 3350 GB/s"* ]]
    [ "$(grep -c '^   [a-z ]*|[#.-]*| .* % busy$' <<<"$output")" -eq 3 ]
    awk 'length($0) > 80 { print "too wide: " $0; bad = 1 } END { exit bad }' <<<"$output"
    [ -z "$(ls -d "$build"/check-cuda.* 2>/dev/null)" ]
}

@test "DETAIL tells lanes, sectors each once, and the occupancy, with registers where nvcc is" {
    checked "$programs/right.cu" DETAIL=64
    [ "$status" -eq 0 ]
    [[ $output == *"Lanes at work, by line (modelled)"* ]]
    # 8000 bytes of x, 8 of total
    grep -Eq '^   sum +254 +251 +251 +8\.0 +99 %$' <<<"$output"
    [[ $output == *"past a perfect cache (64 KiB)"* ]]
    grep -Eq '^   sum +4 +128 +1024 +<= 32 \? +64 +100 % warps$' <<<"$output" # NVCC=no
    awk 'length($0) > 80 { print "too wide: " $0; bad = 1 } END { exit bad }' <<<"$output"
    run make -s BUILD="$build" NVCC=no check-cuda FILE="$programs/right.cu" DETAIL=much
    [ "$status" -ne 0 ]
    [[ $output == "check-cuda: DETAIL is 'much', must be "* ]]
    command -v nvcc >/dev/null || skip 'registers: nvcc is not on the PATH'
    run make -s BUILD="$build" check-cuda FILE="$programs/right.cu" DETAIL=64
    echo "$output"
    grep -Eq '^   sum +4 +128 +1024 +[0-9]+ +64 +100 % warps$' <<<"$output"
}

@test "its arguments are the program's, and its status is told" {
    checked "$programs/right.cu" ARGS='64 wrong'
    [ "$status" -ne 0 ]
    [[ $output == "sum 64"* ]]
    [[ $output == *"Checked: $programs/right.cu 64 wrong"* ]]
    [[ $output == *" RUN      FAIL   the program ended with status 3; the checker found nothing before"* ]]
    [[ $output == *" TRAFFIC "* ]]
}

@test "a mistake is named with its line, also where the program leaves by exit" {
    checked "$(program '#include <cstdlib>
__global__ void k(int *x) { x[threadIdx.x] = 1; }
int main()
{
    int *x;
    cudaMalloc(&x, 40);
    k<<<1, 32>>>(x);
    exit(0);
}')"
    [ "$status" -ne 0 ]
    [[ $output == *" RUN      FAIL   mistakes found: 1"* ]]
    [[ $output == *"my.cu:2: outside the array (22 times)"* ]]
    [[ $output == *"bounds check"* ]]
}

@test "device memory that a loop loses is told, and no mistake" {
    checked "$(program '__global__ void k(int *x) { x[threadIdx.x] = 1; }
int main()
{
    for (int round = 0; round < 3; round++) {
        int *lost;
        cudaMalloc(&lost, 128);
        k<<<1, 32>>>(lost);
    }
    return cudaDeviceSynchronize();
}')"
    [ "$status" -eq 0 ]
    [[ $output == *"hint: lost, allocated in line 6, is never freed: cudaFree returns its 128 bytes"* ]]
}

@test "what depends on the order of the lanes is told by what it prints" {
    checked "$(program '#include <cstdio>
__global__ void first(int *x) { if (atomicAdd(x + 1, 1) == 0) *x = threadIdx.x; }
int main()
{
    int *x, h;
    cudaMalloc(&x, 8);
    cudaMemset(x, 0, 8);
    first<<<1, 32>>>(x);
    cudaMemcpy(&h, x, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    cudaFree(x);
}')"
    [ "$status" -eq 0 ]
    [[ $output == *"What it prints is different when the lanes of a warp run downwards."* ]]
}

@test "exceptions are compiled; one that nobody catches is named" {
    checked "$(program '#include <stdexcept>
#include <iostream>
int main(int argc, char **)
{
    try { if (argc == 1) throw std::runtime_error("caught"); } catch (const std::exception &e) { std::cout << e.what() << std::endl; }
    if (argc > 1) throw std::runtime_error("lost");
}')"
    [ "$status" -eq 0 ]
    [[ $output == "caught"*"TRAFFIC  no kernel touched memory"* ]]
    checked "$BATS_TEST_TMPDIR/my.cu" ARGS=now
    [ "$status" -ne 0 ]
    [[ $output == *"mistakes found: 1"*"an exception that nobody"* ]]
}

@test "host code may use atomics, locks and shared pointers of C++" {
    checked "$(program '#include <atomic>
#include <iostream>
#include <memory>
#include <mutex>
static std::atomic<long> n{1};
static std::mutex lock;
int main()
{
    std::lock_guard<std::mutex> held(lock);
    const auto p = std::make_shared<int>(3);
    static std::shared_ptr<int> q = p;
    long five = 5;
    n += 4;
    std::cout << n.compare_exchange_strong(five, 9) << n.load() << *q << std::endl;
}')"
    [ "$status" -eq 0 ]
    [[ $output == 193$'\n'* ]]
}

@test "a crash of the host, an endless kernel, an endless wait, endless output" {
    checked "$(program 'int main() { int *p = nullptr; *p = 3; }')"
    [ "$status" -ne 0 ]
    [[ $output == *"Host code at my.cu:1 writes address"* ]]
    checked "$(program '__global__ void k(volatile int *x) { while (*x == 0) {} }
int main() { int *x; cudaMalloc(&x, 4); cudaMemset(x, 0, 4); k<<<1, 1>>>(x); }')" LIMIT=1
    [ "$status" -ne 0 ]
    [[ $output == *"Kernel k did not end within 1 s of processor time"* ]]
    checked "$(program '#include <unistd.h>
int main() { for (;;) pause(); }')" LIMIT=1
    [ "$status" -ne 0 ]
    [[ $output == *" RUN      FAIL   the program was stopped: it did not end within 10 s"* ]]
    checked "$(program '#include <cstdio>
int main() { for (;;) puts("a line of text that goes on and on and on"); }')" LIMIT=9
    [ "$status" -ne 0 ]
    [[ $output == *"... it goes on: "*" RUN      FAIL   the program was stopped: it printed more than 64 MB"* ]]
}

@test "what cannot be checked gets one line: no file, a folder, another name, no limit" {
    for setting in FILE= FILE=/no/such.cu FILE=lib FILE=README.md; do
        run make -s BUILD="$build" NVCC=no check-cuda "$setting"
        output=$(grep -v '^make.*\*\*\*' <<<"$output")
        echo "$setting: $output"
        [ "$status" -ne 0 ]
        [ "$(wc -l <<<"$output")" -eq 1 ]
        [[ $output == "check-cuda: "* ]]
    done
    run make -s BUILD="$build" NVCC=no check-cuda
    [[ $output == *"FILE= is missing"*"FILE=my.cu"* ]]
    checked "$programs/right.cu" LIMIT=soon
    [[ $output == "check-cuda: LIMIT is 'soon'"* ]]
}

@test "what does not compile has the compiler's words, on its line" {
    checked "$(program 'int main() { return y; }')"
    [ "$status" -ne 0 ]
    [[ $output == *"my.cu:1:21: error:"*"check-cuda: "*"my.cu does not compile" ]]
    checked "$(program 'void f() {}')"
    [ "$status" -ne 0 ]
    [[ $output == *"my.cu has no main, and so is no program."*"make exercise-N" ]]
}

@test "what the checker does not have is refused by name, with what to do" {
    while IFS='|' read -r line words; do
        checked "$(program "$line
int main() { return 0; }")"
        [ "$status" -ne 0 ]
        [[ $output == *"$words"* ]]
    done <<'END'
#include <cuda_fp16.h>|no half precision (cuda_fp16.h): use float
#include <mma.h>|no tensor cores (mma.h): write the loop
#include <cub/block/block_scan.cuh>|no CUB: write the kernel
#include <thrust/copy.h>|no Thrust: allocate with cudaMalloc
#include <cuda_pipeline.h>|no asynchronous copies to shared memory
cudaTextureObject_t t;|no textures. Read the array
cudaGraph_t g;|no CUDA graphs. Launch the kernels one by one
__global__ void k() { asm("bar.sync 0;"); }|no inline PTX
void f() { cudaMemcpyPeer(0, 0, 0, 0, 0); }|The checker has no cudaMemcpyPeer.
END
}
