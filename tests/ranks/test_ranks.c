/* Ranks: what they compute, what is found in wrong programs, and the modelled clock against closed formulas. */
#include "ranks/include/mpi.h"
#undef exit
#include "ranks/ranks.h"
#include "test.h"

#include "halo.h"

static spw_cluster cluster; /* of the next runs */
static int order;
static spw_ranks_result result;

/* What rank r does between MPI_Init and MPI_Finalize. */
typedef void (*program)(int r);
static int size; /* the ranks of the program that runs */

static void whole(int number, void *body) {
    int rank;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    assert_int_equal(rank, number);
    (*(program *)body)(rank);
    MPI_Finalize();
}

static void run(int ranks, bool descending, program body) {
    const spw_ranks_options options = {
        .ranks = ranks, .descending = descending, .order = order, .cluster = cluster};
    assert_ok(spw_ranks_run(&options, whole, &body, &result));
}

/* The words are all in what is found, in both orders. */
static void finds(int ranks, program body, const char *const *words) {
    for (int way = 0; way < 2; way++) {
        run(ranks, way, body);
        if (!spw_ranks_finding_count()) fail_msg("nothing was found, way %d", way);
        for (int k = 0; words[k]; k++)
            if (!strstr(spw_ranks_findings(), words[k]))
                fail_msg("'%s' is not in:\n%s", words[k], spw_ranks_findings());
    }
}

static void right(int ranks, program body) {
    for (int way = 0; way < 2; way++) {
        run(ranks, way, body);
        if (spw_ranks_finding_count()) fail_msg("way %d: %s", way, spw_ranks_findings());
    }
}

#define FINDS(ranks, body, ...) finds(ranks, body, (const char *const[]){__VA_ARGS__, NULL})

/* --- right programs ------------------------------------------------------------------------------------ */

static void ring(int r) {
    int got = -1;
    MPI_Status status;
    MPI_Sendrecv(&r, 1, MPI_INT, (r + 1) % size, 7, &got, 1, MPI_INT, MPI_ANY_SOURCE, 7,
                 MPI_COMM_WORLD, &status);
    assert_int_equal(got, (r + size - 1) % size);
    assert_int_equal(status.MPI_SOURCE, got);
}

TEST(a_ring_hands_round) {
    right(1, ring);
    right(5, ring);
    assert_int_equal(result.messages, 5);
    assert_int_equal(result.bytes, 20);
    assert_int_equal(result.most_messages, 1);
}

/* Every collective, with values that name their places. */
static void collectives(int r) {
    double x = r + 1, sum = 0;
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    assert_true(sum == size * (size + 1) / 2);
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    assert_true(x == size);
    int place[2] = {r % 2 ? 5 : 3, r}, best[2];
    MPI_Allreduce(place, best, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
    assert_int_equal(best[1], size > 1 ? 1 : 0);
    int before = -1, up_to = 0;
    MPI_Exscan(&r, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Scan(&r, &up_to, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert_int_equal(before, r ? r * (r - 1) / 2 : -1);
    assert_int_equal(up_to, r * (r + 1) / 2);
    int word = r == size - 1 ? 42 : 0;
    MPI_Bcast(&word, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
    assert_int_equal(word, 42);
    int all[8], counts[8], first[8], back[8];
    MPI_Allgather(&r, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int k = 0; k < size; k++) assert_int_equal(all[k], k);
    for (int k = 0; k < size; k++) back[k] = 10 * r + k;
    MPI_Alltoall(back, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int k = 0; k < size; k++) assert_int_equal(all[k], 10 * k + r);
    /* Of rank k: 1 number if k is even, behind each other from the end. */
    for (int k = 0; k < size; k++) counts[k] = k % 2 == 0, first[k] = size - 1 - k, all[k] = -1;
    MPI_Allgatherv(&r, counts[r], MPI_INT, all, counts, first, MPI_INT, MPI_COMM_WORLD);
    for (int k = 0; k < size; k++) assert_int_equal(all[size - 1 - k], k % 2 ? -1 : k);
    MPI_Gather(&r, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (r == 0)
        for (int k = 0; k < size; k++) assert_int_equal(all[k], k);
    for (int k = 0; k < size; k++) all[k] = 100 + k;
    MPI_Scatter(all, 1, MPI_INT, &word, 1, MPI_INT, 0, MPI_COMM_WORLD);
    assert_int_equal(word, 100 + r);
    MPI_Request request;
    MPI_Iallreduce(&r, &word, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    assert_int_equal(word, size * (size - 1) / 2);
    MPI_Barrier(MPI_COMM_WORLD);
}

TEST(collectives_give_their_values) {
    right(1, collectives);
    right(2, collectives);
    right(7, collectives);
}

static void communicators(int r) {
    int inner, sum;
    MPI_Comm half, graph;
    MPI_Comm_split(MPI_COMM_WORLD, r % 2, -r, &half);
    MPI_Comm_rank(half, &inner);
    MPI_Allreduce(&r, &sum, 1, MPI_INT, MPI_SUM, half);
    assert_int_equal(sum, r % 2 ? 1 + 3 : 0 + 2 + 4);
    assert_int_equal(inner, ((r % 2 ? 3 : 4) - r) / 2);
    MPI_Comm_free(&half);
    const int from = (r + size - 1) % size, to = (r + 1) % size, one = 1, none = 0;
    int got = -1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_alltoallv(&r, &one, &none, MPI_INT, &got, &one, &none, MPI_INT, graph);
    assert_int_equal(got, from);
    MPI_Comm_free(&graph);
}

TEST(communicators_have_ranks_of_their_own) { right(5, communicators); }

/* --- wrong ones ---------------------------------------------------------------------------------------- */

static double data[4][64];

static void all_send_first(int r) {
    MPI_Send(data[r], 8, MPI_DOUBLE, (r + 1) % size, 3, MPI_COMM_WORLD);
    MPI_Recv(data[r], 8, MPI_DOUBLE, (r + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wrong_tag(int r) {
    MPI_Request send;
    MPI_Isend(data[r], 8, MPI_DOUBLE, 1 - r, r, MPI_COMM_WORLD, &send);
    MPI_Recv(data[2 + r], 8, MPI_DOUBLE, 1 - r, r, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
}

static void leaves_one_out(int r) {
    double sum;
    if (r) MPI_Allreduce(data[r], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Both are barriers, but one that waits is none for one that does not. */
static void another_barrier(int r) {
    MPI_Request request;
    if (r) MPI_Barrier(MPI_COMM_WORLD);
    if (!r) MPI_Ibarrier(MPI_COMM_WORLD, &request), MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receives_nothing(int r) {
    int flag = 0;
    MPI_Request request;
    if (r == 0) {
        MPI_Irecv(data[r], 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &request);
        while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
}

TEST(deadlocks_are_told_with_their_circle) {
    FINDS(3, all_send_first, "Deadlock", "In a circle: rank 0 waits for 1 waits for 2 waits for 0",
          "All of them send first", "64 bytes of tag 3", "MPI_Send (test_ranks.c:");
    FINDS(2, wrong_tag, "Deadlock", "for a message of tag 0 from rank 1",
          "there is one of tag 1: MPI_Isend");
    FINDS(3, leaves_one_out,
          "MPI_Allreduce (test_ranks.c:", "MPI_Finalize (test_ranks.c:", "in the same order");
    FINDS(2, another_barrier,
          "MPI_Barrier (test_ranks.c:", "MPI_Ibarrier (test_ranks.c:", "the same");
    FINDS(2, receives_nothing, "Deadlock", "tests again and again in MPI_Test");
}

enum fault {
    SHORT_ROOM,
    OTHER_TYPE,
    NO_WAIT,
    REPACKED,
    CLEARED,
    OVERLAP,
    TWICE,
    NO_RANK,
    ROOTS,
    LEAKED,
    SUMMED,
    COLOUR
};
static enum fault fault;

static void faulty(int r) {
    const int other = 1 - r;
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Comm copy;
    if (fault == ROOTS) MPI_Bcast(data[r], 1, MPI_DOUBLE, r, MPI_COMM_WORLD);
    if (fault == LEAKED) MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Irecv(data[r], fault == SHORT_ROOM ? 7 : 8, fault == OTHER_TYPE ? MPI_FLOAT : MPI_DOUBLE,
              fault == NO_RANK ? 2 : other, 1, MPI_COMM_WORLD, &requests[0]);
    if (fault == OVERLAP)
        MPI_Irecv(data[r] + 7, 8, MPI_DOUBLE, other, 2, MPI_COMM_WORLD, &requests[2]);
    if (fault == SUMMED || fault == COLOUR) {
        int sum = 0, one = 1;
        if (fault == COLOUR) MPI_Comm_split(MPI_COMM_WORLD, -10, r, &copy);
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[2]);
        sum++;
        MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    }
    if (fault == CLEARED) data[r][3] = 0;
    MPI_Isend(data[2 + r], fault == OTHER_TYPE ? 4 : 8, MPI_DOUBLE, other, 1, MPI_COMM_WORLD,
              &requests[1]);
    if (fault == REPACKED) data[2 + r][5] += 1;
    MPI_Waitall(fault == NO_WAIT ? 1 : 2, requests, MPI_STATUSES_IGNORE);
    if (fault == TWICE) {
        requests[1] = 100001; /* as if it had been copied before the wait */
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
}

/* As the standard allows: a send goes on without its request. */
static void frees_a_send(int r) {
    MPI_Request request;
    MPI_Isend(data[r], 4, MPI_DOUBLE, 1 - r, 1, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(data[2 + r], 4, MPI_DOUBLE, 1 - r, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

TEST(a_send_whose_request_was_freed_is_right) { right(2, frees_a_send); }

#define FAULT(which, ...) fault = which, FINDS(2, faulty, __VA_ARGS__)

TEST(misused_buffers_requests_and_arguments_are_told) {
    FAULT(SHORT_ROOM, "truncated: MPI_Isend (test_ranks.c:", "sends 64 bytes", "has room for 56");
    FAULT(OTHER_TYPE, "sends MPI_DOUBLE", "receives MPI_FLOAT");
    FAULT(NO_WAIT, "MPI_Isend (test_ranks.c:", "was never waited for");
    FAULT(REPACKED, "the buffer of MPI_Isend", "was changed before its wait");
    FAULT(CLEARED, "the buffer of MPI_Irecv", "was written before its wait", "element 3");
    FAULT(OVERLAP, "is in use by MPI_Irecv");
    FAULT(TWICE, "none: not set, or waited for before");
    FAULT(NO_RANK, "names rank 2; there are 0 to 1");
    FAULT(ROOTS, "the root of MPI_Bcast");
    FAULT(SUMMED, "the result of MPI_Iallreduce (test_ranks.c:", "written before its wait");
    FAULT(COLOUR, "MPI_Comm_split (test_ranks.c:", "has colour -10");
    FAULT(LEAKED, "the communicator of MPI_Comm_dup", "was never freed");
}

/* --- receives from any rank ---------------------------------------------------------------------------- */

enum { ORDERS = 6, LAST = 99 };

static int any(int *into, int count, int tag, MPI_Status *status) {
    return MPI_Recv(into, count, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, status);
}

/* Each rank in its own element, by its status; then a sum, for which no sender matters. */
static void collects(int r) {
    int all[8] = {0}, x = 0, sum = 0;
    MPI_Status status;
    for (int round = 0; round < 2 && r; round++) MPI_Send(&r, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
    for (int k = 1; k < size && r == 0; k++) {
        any(&x, 1, 0, &status);
        all[status.MPI_SOURCE] = x;
    }
    for (int k = 1; k < size && r == 0; k++) any(&x, 1, 1, MPI_STATUS_IGNORE), sum += x;
    for (int k = 1; k < size && r == 0; k++) assert_int_equal(all[k], k);
    assert_int_equal(sum, r ? 0 : size * (size - 1) / 2);
}

/* Who asks gets the next piece of work, or that it was the last. */
static void hands_out_work(int r) {
    int next = 0, x = 0, done = 0, total = 0;
    MPI_Status status;
    for (int stopped = 0; r == 0 && stopped < size - 1; next++) {
        any(&x, 1, 0, &status);
        x = next < 9 ? next : LAST;
        stopped += x == LAST;
        MPI_Send(&x, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
    }
    while (r && x != LAST) {
        MPI_Send(&r, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        done += x != LAST;
    }
    MPI_Reduce(&done, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    assert_int_equal(total, r ? 0 : 9);
}

/* Messages of different lengths: the probe says whose comes, and how long it is. */
static bool takes_what_comes;

static void probes(int r) {
    int n, x[8] = {0}, sum = 0;
    MPI_Status status;
    if (r) MPI_Send(data[0], r, MPI_INT, 0, r, MPI_COMM_WORLD);
    for (int k = 1; k < size && r == 0; k++) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &n);
        assert_int_equal(n, status.MPI_TAG);
        if (takes_what_comes)
            any(x, n, MPI_ANY_TAG, &status);
        else
            MPI_Recv(x, n, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
        sum += n;
    }
    assert_int_equal(sum, r ? 0 : size * (size - 1) / 2);
}

/* Several receives at once: with statuses, without, and of messages that hold the same. */
static enum { ASKED, POLLED, ALIKE, BLIND } how;

static void collects_at_once(int r) {
    int x[4], flag = 0, same = 7;
    MPI_Request requests[4];
    MPI_Status statuses[4];
    for (int k = 1; k < size && r == 0; k++)
        MPI_Irecv(&x[k], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[k]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (r) MPI_Send(how == ALIKE ? &same : &r, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    while (how == POLLED && r == 0 && !flag)
        MPI_Testall(size - 1, requests + 1, &flag, statuses + 1);
    if (r == 0 && !flag)
        MPI_Waitall(size - 1, requests + 1, how == ASKED ? statuses + 1 : MPI_STATUSES_IGNORE);
    for (int k = 1; k < size && r == 0 && how <= POLLED; k++)
        assert_int_equal(x[k], statuses[k].MPI_SOURCE);
}

/* Two messages of one rank come in their order, whichever receive is from any. */
static void keeps_order(int r) {
    int x[2] = {1, 2}, flag = 0;
    MPI_Request requests[2];
    for (int k = 0; k < 2 && r; k++)
        MPI_Isend(&x[k], 1, MPI_INT, 0, k, MPI_COMM_WORLD, &requests[k]);
    if (r == 0) {
        x[0] = x[1] = 0;
        MPI_Irecv(&x[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&x[1], 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    assert_int_equal(x[0], 1);
    assert_int_equal(x[1], 2);
    if (r) MPI_Send(&r, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    while (r == 0 && !flag) MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (r == 0) any(&x[0], 1, 5, MPI_STATUS_IGNORE);
}

/* What a receive from any rank may take, no receive and no probe behind it sees before that has chosen. */
static void stands_behind(int r) {
    int x[3] = {r, 10 * r, 0}, flag = 0;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status, statuses[2];
    if (r) MPI_Isend(&x[0], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[0]);
    if (r == 1) MPI_Isend(&x[1], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[1]);
    if (r == 0) {
        MPI_Irecv(&x[0], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&x[1], 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
    }
    MPI_Waitall(2, requests, statuses);
    if (r == 0) {
        assert_int_equal(x[1], x[0] == 1 ? 10 : 1);
        any(&x[2], 1, x[0] == 1 ? 1 : 2, MPI_STATUS_IGNORE);
        assert_int_equal(x[2], x[0] == 1 ? 2 : 10);
        MPI_Irecv(&x[0], 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &requests[0]);
        while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &flag, &status);
        MPI_Recv(&x[1], 1, MPI_INT, status.MPI_SOURCE, 3, MPI_COMM_WORLD, &status);
        MPI_Wait(&requests[0], &status);
    }
    if (r) MPI_Send(&x[0], 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
}

static void silent(int ranks, program body) {
    for (order = 0; order <= ORDERS; order++) {
        right(ranks, body);
        if (*spw_ranks_doubt()) fail_msg("order %d: %s", order, spw_ranks_doubt());
    }
    order = 0;
}

TEST(programs_that_receive_from_any_rank_are_right_in_all_orders) {
    silent(5, ring);
    silent(5, collects);
    silent(4, hands_out_work);
    takes_what_comes = false, silent(4, probes);
    for (how = ASKED; how <= ALIKE; how++) silent(4, collects_at_once);
    silent(2, keeps_order);
    silent(3, stands_behind);
    order = 1;
    right(5, collects);
    assert_int_equal(result.most_senders, 4);
    right(5, ring);
    assert_int_equal(result.most_senders, 1);
    order = 0;
}

/* Right unless the first receive takes the message of rank 2, of 1, 2 and 3. */
static void any_then_the_second(int r) {
    int x;
    if (r) MPI_Send(&r, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (r == 0) {
        any(&x, 1, 0, MPI_STATUS_IGNORE);
        MPI_Recv(&x, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        any(&x, 1, 0, MPI_STATUS_IGNORE);
    }
}

/* The message of rank 2 comes late, as it waits for two others; nothing keeps the first receive from taking it. */
static void any_before_a_late_one(int r) {
    int x = r;
    MPI_Request request = MPI_REQUEST_NULL;
    if (r == 0) any(&x, 1, 0, MPI_STATUS_IGNORE);
    if (r == 1) MPI_Isend(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    if (r > 1) MPI_Recv(&x, 1, MPI_INT, r == 2 ? 3 : 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (r) MPI_Send(&x, 1, MPI_INT, r == 1 ? 3 : r == 3 ? 2 : 0, r != 2, MPI_COMM_WORLD);
    if (r == 0) MPI_Recv(&x, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Silent as messages come, found with that order. */
#define FINDS_IN(which, ranks, body, ...)                                                          \
    right(ranks, body), order = which, FINDS(ranks, body, __VA_ARGS__), order = 0

TEST(a_choice_between_senders_that_goes_wrong_is_told) {
    FINDS_IN(3, 4, any_then_the_second, "Deadlock", "from rank 2");
    assert_says(spw_ranks_choices(), "of rank 0 got the message of rank 2; rank 1 had");
    FINDS_IN(2, 4, any_before_a_late_one, "Deadlock", "from rank 2");
    takes_what_comes = true;
    FINDS_IN(3, 4, probes, "truncated: MPI_Send (test_ranks.c:");
}

TEST(buffers_that_get_either_message_are_told_of) {
    how = BLIND;
    order = 1;
    right(3, collects_at_once);
    assert_says(spw_ranks_doubt(), "Which buffer of MPI_Irecv (test_ranks.c:");
    assert_says(spw_ranks_doubt(), "of rank 0 gets the message of rank 2");
    order = 0;
}

static double read_early;

static void reads_early(int r) {
    MPI_Request requests[2];
    MPI_Irecv(data[r], 4, MPI_DOUBLE, 1 - r, 1, MPI_COMM_WORLD, &requests[0]);
    read_early = data[r][2];
    MPI_Isend(data[2 + r], 2, MPI_DOUBLE, 1 - r, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    assert_true(data[r][1] == data[3 - r][1]);
    assert_true(data[r][3] == 5); /* a shorter message leaves the rest */
}

TEST(a_number_that_was_read_early_names_the_line) {
    data[0][3] = data[1][3] = 5;
    right(2, reads_early);
    assert_true(isnan(read_early));
    assert_int_equal(spw_ranks_unread_line(read_early), spw_ranks_unread_line(-read_early));
    assert_true(spw_ranks_unread_line(read_early) > 200);
    assert_int_equal(spw_ranks_unread_line(NAN), 0);
}

TEST(numbers_of_ranks_are_checked) {
    const spw_ranks_options options = {.ranks = 0};
    assert_int_equal(spw_ranks_run(&options, whole, NULL, &result), SPW_ERR_ARG);
}

/* --- the clock ----------------------------------------------------------------------------------------- */

static int grid[3];

static void iteration(int r) {
    static double halo[1024][HALO_ROOM];
    iterate(r, grid, halo[r], spw_ranks_charge);
}

/* 721.5 + 35.3 + 52 * 2 * 0.3 + 2 * stages * 1.6 µs, and the 8 bytes of the sums */
TEST(the_clock_agrees_with_the_closed_formula) {
    spw_cluster clusters[SPW_CLUSTERS];
    assert_ok(spw_clusters_read(clusters));
    cluster = clusters[0];
    grid[0] = grid[1] = grid[2] = 2;
    right(8, iteration);
    assert_true(fabs(1e6 * result.seconds - 774.8) < 0.02);
    grid[0] = grid[1] = grid[2] = 4;
    right(64, iteration);
    assert_true(fabs(1e6 * result.seconds - 807.2) < 0.02);
    grid[0] = 16, grid[1] = grid[2] = 8;
    right(1024, iteration);
    assert_true(fabs(1e6 * result.seconds - 820.0) < 0.02);
    assert_int_equal(result.messages, 21240);
    assert_int_equal(result.bytes, 12580800);
    cluster = (spw_cluster){0};
}
