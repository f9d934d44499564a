/* The applications: one loop serves the sockets of all flows. */
#define _GNU_SOURCE
#include "agent.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define CHUNK (1 << 17)
#define FOREVER UINT64_MAX
#define MAX_CHANGES 1024
/* iperf3's cookie, the first bytes of its connections. */
#define COOKIE_BYTES 37
/* iperf3's control connection: cookie, parameters, and the receiver's word that data may flow. */
#define CONTROL_STAGES 3

struct flow flows[MAX_FLOWS];
unsigned flow_count;
uint64_t origin_ns;
static int poll_descriptor, payload;

static struct {
	uint64_t at_ns;
	char space[32];
	char *words[64];
} changes[MAX_CHANGES];
static unsigned change_count, changes_done;

enum end { LISTENER, CONTROL, CONTROL_ACCEPTED, OUT, IN, TIMER };

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec - origin_ns;
}

void add_change(uint64_t at_ns, const char *space, char **words, unsigned count)
{
	if (change_count == MAX_CHANGES || count > 63)
		fail("more than %d changes of links", MAX_CHANGES);
	changes[change_count].at_ns = at_ns;
	snprintf(changes[change_count].space, 32, "%s", space);
	for (unsigned i = 0; i < count; i++)
		changes[change_count].words[i] = strdup(words[i]);
	change_count++;
}

/* flow SENDER RECEIVER ADDRESS ALGORITHM START STOP NO_DELAY WORKLOAD ARGUMENT... */
void add_flow(char **words, unsigned count)
{
	struct flow *flow = &flows[flow_count];

	if (flow_count == MAX_FLOWS || count < 8)
		fail("more than %d flows", MAX_FLOWS);
	memset(flow, 0, sizeof(*flow));
	flow->number = flow_count++;
	snprintf(flow->sender, sizeof(flow->sender), "%s", words[0]);
	snprintf(flow->receiver, sizeof(flow->receiver), "%s", words[1]);
	snprintf(flow->address, sizeof(flow->address), "%s", words[2]);
	snprintf(flow->algorithm, sizeof(flow->algorithm), "%s", words[3]);
	flow->start_ns = strtoull(words[4], NULL, 10);
	flow->stop_ns = strtoull(words[5], NULL, 10);
	flow->no_delay = atoi(words[6]);
	snprintf(flow->workload, sizeof(flow->workload), "%s", words[7]);
	for (unsigned i = 8; i < count && i < 11; i++)
		flow->arguments[i - 8] = strtoull(words[i], NULL, 10);
	flow->listener = flow->control = flow->control_accepted = flow->out = flow->in = -1;
}

static int is(struct flow *flow, const char *workload)
{
	return !strcmp(flow->workload, workload);
}

/* The receiver of data is a client, which opens the connection. */
static int is_exchange(struct flow *flow)
{
	return is(flow, "request_response") || is(flow, "ping");
}

static void watch(struct flow *flow, int descriptor, enum end end, uint32_t events)
{
	struct epoll_event event = { .events = events | EPOLLET, .data.u64 = (uint64_t)flow->number << 8 | end };

	if (epoll_ctl(poll_descriptor, EPOLL_CTL_ADD, descriptor, &event) < 0)
		fail("cannot wait for a socket: %s", strerror(errno));
}

static struct sockaddr_in address_of(struct flow *flow)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(5201) };

	inet_pton(AF_INET, flow->address, &address.sin_addr);
	return address;
}

static void listen_for(struct flow *flow)
{
	struct sockaddr_in address = address_of(flow);
	int one = 1;

	enter(is_exchange(flow) ? flow->sender : flow->receiver);
	flow->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	setsockopt(flow->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	/* A SYN that is itself ECN-capable is accepted as such only by a listener whose algorithm needs ECN, too (RFC 8257). */
	if (setsockopt(flow->listener, IPPROTO_TCP, TCP_CONGESTION, flow->algorithm, strlen(flow->algorithm)) < 0)
		fail("flow %u: this kernel does not take %s: %s", flow->number, flow->algorithm, strerror(errno));
	if (bind(flow->listener, (void *)&address, sizeof(address)) < 0 || listen(flow->listener, 8) < 0)
		fail("flow %u cannot listen: %s", flow->number, strerror(errno));
	watch(flow, flow->listener, LISTENER, EPOLLIN);
	enter("-");
}

static int connect_to(struct flow *flow, enum end end)
{
	struct sockaddr_in address = address_of(flow);
	int descriptor, one = 1;

	enter(end == IN ? flow->receiver : flow->sender);
	descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (end != CONTROL) {
		if (setsockopt(descriptor, IPPROTO_TCP, TCP_CONGESTION, flow->algorithm, strlen(flow->algorithm)) < 0)
			fail("flow %u: this kernel does not take %s: %s", flow->number, flow->algorithm, strerror(errno));
		if (flow->no_delay)
			setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	}
	if (connect(descriptor, (void *)&address, sizeof(address)) < 0 && errno != EINPROGRESS)
		fail("flow %u cannot connect: %s", flow->number, strerror(errno));
	watch(flow, descriptor, end, EPOLLIN | EPOLLOUT);
	enter("-");
	return descriptor;
}

static void send_more(struct flow *flow)
{
	uint64_t now = now_ns();

	while (flow->out >= 0 && flow->quota > 0 && now < flow->stop_ns) {
		off_t from = 0;
		uint64_t wanted = flow->quota < CHUNK ? flow->quota : CHUNK;
		ssize_t sent = sendfile(flow->out, payload, &from, wanted);

		if (sent <= 0) {
			if (sent < 0 && errno != EAGAIN && errno != ENOTCONN && errno != EPIPE && errno != ECONNRESET)
				fail("flow %u cannot send: %s", flow->number, strerror(errno));
			return;
		}
		if (flow->quota != FOREVER)
			flow->quota -= sent;
	}
	/* Once: each call wakes who waits for the socket, and that is this function. */
	if (is(flow, "bytes") && flow->quota == 0 && flow->opened_ns && !flow->is_shut) {
		flow->is_shut = 1;
		shutdown(flow->out, SHUT_WR);
	}
}

/* Bytes of a request, and of its response. */
static uint64_t exchanged(struct flow *flow, int is_response)
{
	return flow->arguments[is(flow, "ping") ? 1 : is_response];
}

static void ask(struct flow *flow)
{
	static const char request[65536];
	uint64_t left = exchanged(flow, 0);

	if (flow->requested == flow->request_room) {
		flow->request_room = 2 * flow->request_room + 64;
		flow->requests = realloc(flow->requests, flow->request_room * sizeof(*flow->requests));
	}
	flow->requests[flow->requested++] = (struct request){ .asked_ns = now_ns() };
	while (left > 0) {
		ssize_t sent = send(flow->in, request, left < sizeof(request) ? left : sizeof(request), MSG_NOSIGNAL);

		if (sent <= 0)
			return;
		left -= sent;
	}
	flow->ready_ns = is(flow, "ping") ? now_ns() + flow->arguments[0] : 0;
}

static void receive(struct flow *flow)
{
	for (;;) {
		ssize_t bytes = recv(flow->in, NULL, 1 << 22, MSG_TRUNC);

		if (bytes <= 0)
			break;
		flow->received += bytes;
	}
	if (is(flow, "bytes") && !flow->finished_ns && flow->received >= flow->arguments[0])
		flow->finished_ns = now_ns();
	while (is_exchange(flow) && flow->received >= (flow->completed + 1) * exchanged(flow, 1)) {
		flow->requests[flow->completed++].answered_ns = now_ns();
		if (is(flow, "ping"))
			continue;
		if (flow->arguments[2] == 0)
			ask(flow);
		else
			flow->ready_ns = now_ns() + flow->arguments[2];
	}
}

/* The sender reads requests. */
static void hear(struct flow *flow)
{
	for (;;) {
		ssize_t bytes = recv(flow->out, NULL, 1 << 20, MSG_TRUNC);

		if (bytes <= 0)
			break;
		flow->asked += bytes;
	}
	while (is_exchange(flow) && flow->asked >= (flow->answered + 1) * exchanged(flow, 0)) {
		flow->answered++;
		flow->quota += exchanged(flow, 1);
	}
	send_more(flow);
}

static void begin_sending(struct flow *flow)
{
	flow->opened_ns = now_ns();
	if (is(flow, "iperf3"))
		flow->stop_ns += flow->opened_ns - flow->start_ns;
	if (is(flow, "bytes"))
		flow->quota = flow->arguments[0];
	else if (!is_exchange(flow) && !is(flow, "writes"))
		flow->quota = FOREVER;
	if (is(flow, "on_off")) {
		flow->is_on = 1;
		/* As in the simulator, the application's time begins before the handshake. */
		flow->ready_ns = flow->start_ns + flow->arguments[0];
	}
	send_more(flow);
}

static void accept_one(struct flow *flow)
{
	int found;

	while ((found = accept4(flow->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		if (is(flow, "iperf3") && flow->control_accepted < 0) {
			flow->control_accepted = found;
			watch(flow, found, CONTROL_ACCEPTED, EPOLLIN);
			continue;
		}
		if (is_exchange(flow)) {
			flow->out = found;
			setsockopt(found, IPPROTO_TCP, TCP_NODELAY, &flow->no_delay, sizeof(flow->no_delay));
			watch(flow, found, OUT, EPOLLIN | EPOLLOUT);
			continue;
		}
		flow->in = found;
		watch(flow, found, IN, EPOLLIN);
	}
}

/* Before iperf3's data flow there are three exchanges, then the data connection begins with the cookie. */
static void control(struct flow *flow, int from)
{
	char words[COOKIE_BYTES] = { 0 };
	ssize_t bytes = recv(from, words, sizeof(words), 0);

	if (from == flow->control_accepted && bytes > 0)
		send(from, words, 1, MSG_NOSIGNAL);
	if (from != flow->control)
		return;
	if (flow->control_stage == 0 || bytes > 0)
		flow->control_stage++;
	if (flow->control_stage <= CONTROL_STAGES)
		send(from, words, COOKIE_BYTES, MSG_NOSIGNAL);
	else if (flow->out < 0)
		flow->out = connect_to(flow, OUT);
	else if (flow->control_stage == CONTROL_STAGES + 2)
		begin_sending(flow);
}

static void opened(struct flow *flow)
{
	static const char cookie[COOKIE_BYTES];

	if (flow->opened_ns || !is(flow, "iperf3") || flow->control_stage > CONTROL_STAGES + 1 || flow->quota)
		return;
	send(flow->out, cookie, sizeof(cookie), MSG_NOSIGNAL);
	send(flow->control, cookie, sizeof(cookie), MSG_NOSIGNAL);
}

static void serve(struct flow *flow, enum end end, uint32_t events)
{
	switch (end) {
	case LISTENER:
		accept_one(flow);
		break;
	case CONTROL:
		if (flow->control_stage == 0 ? events & EPOLLOUT : events & EPOLLIN)
			control(flow, flow->control);
		break;
	case CONTROL_ACCEPTED:
		control(flow, flow->control_accepted);
		break;
	case OUT:
		if (events & EPOLLIN)
			hear(flow);
		if (!flow->opened_ns && events & EPOLLOUT) {
			if (is(flow, "iperf3"))
				opened(flow);
			else
				begin_sending(flow);
		}
		if (flow->opened_ns && events & EPOLLOUT)
			send_more(flow);
		break;
	case IN:
		if (is_exchange(flow) && !flow->requested && events & EPOLLOUT)
			ask(flow);
		receive(flow);
		break;
	case TIMER:
		break;
	}
}

/* What is due for a flow; returns the time of what comes next. */
static uint64_t tick(struct flow *flow, uint64_t now)
{
	uint64_t due;

	if (flow->start_ns <= now && flow->out < 0 && flow->in < 0 && flow->control < 0) {
		if (is(flow, "iperf3"))
			flow->control = connect_to(flow, CONTROL);
		else if (is_exchange(flow))
			flow->in = connect_to(flow, IN);
		else
			flow->out = connect_to(flow, OUT);
		/* As in the simulator, the application's time begins before the handshake. */
		if (is(flow, "writes"))
			flow->ready_ns = flow->start_ns;
	}
	if (flow->ready_ns && flow->ready_ns <= now && !flow->is_stopped) {
		if (is_exchange(flow)) {
			ask(flow);
		} else if (is(flow, "writes")) {
			flow->quota += flow->arguments[0];
			flow->ready_ns += flow->arguments[1];
			send_more(flow);
		} else {
			flow->is_on = !flow->is_on;
			flow->quota = flow->is_on ? FOREVER : 0;
			flow->ready_ns += flow->arguments[flow->is_on ? 0 : 1];
			send_more(flow);
		}
	}
	if (flow->opened_ns && !flow->is_stopped && flow->stop_ns <= now) {
		flow->is_stopped = 1;
		sample(flow->stop_ns, 1);
	}
	if (flow->start_ns > now)
		return flow->start_ns;
	due = flow->is_stopped ? FOREVER : flow->stop_ns;
	return flow->ready_ns > now && flow->ready_ns < due ? flow->ready_ns : due;
}

static void say_requests(void)
{
	for (struct flow *flow = flows; flow < flows + flow_count; flow++)
		for (uint64_t i = 0; i < flow->completed; i++)
			say("r %u %llu %llu", flow->number, (unsigned long long)flow->requests[i].asked_ns,
			    (unsigned long long)flow->requests[i].answered_ns);
}

static uint64_t change_links(uint64_t now)
{
	while (changes_done < change_count && changes[changes_done].at_ns <= now) {
		execute(changes[changes_done].space, changes[changes_done].words);
		changes_done++;
	}
	return changes_done < change_count ? changes[changes_done].at_ns : FOREVER;
}

/* A connection that ends leaves the metrics of its path, which are those of the route. A later one begins with them. */
void warm(const char *sender, const char *receiver, const char *address)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(5200) };
	struct timespec while_it_closes = { .tv_sec = 4 };
	int listener, client, server;

	inet_pton(AF_INET, address, &to.sin_addr);
	enter(receiver);
	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(listener, (void *)&to, sizeof(to)) < 0 || listen(listener, 1) < 0)
		fail("%s cannot listen: %s", receiver, strerror(errno));
	enter(sender);
	client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(client, (void *)&to, sizeof(to)) < 0)
		fail("%s cannot connect: %s", sender, strerror(errno));
	enter("-");
	server = accept(listener, NULL, NULL);
	close(client);
	close(server);
	close(listener);
	nanosleep(&while_it_closes, NULL);
}

static void make_payload(void)
{
	payload = memfd_create("payload", MFD_CLOEXEC);
	if (payload < 0 || ftruncate(payload, CHUNK) < 0)
		fail("no memory for the data to send: %s", strerror(errno));
	for (int i = 0; i < CHUNK; i += 64)
		if (pwrite(payload, "fairlane", 8, i) < 0)
			fail("no memory for the data to send: %s", strerror(errno));
}

void run(uint64_t duration_ns, uint64_t interval_ns, uint64_t *marks, unsigned mark_count)
{
	struct epoll_event events[64];
	uint64_t next_sample_ns = interval_ns;
	unsigned next_mark = 0;
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	struct timespec now;
	struct epoll_event on_timer = { .events = EPOLLIN, .data.u64 = TIMER };

	make_payload();
	poll_descriptor = epoll_create1(EPOLL_CLOEXEC);
	epoll_ctl(poll_descriptor, EPOLL_CTL_ADD, timer, &on_timer);
	for (unsigned i = 0; i < flow_count; i++) {
		open_counters(&flows[i]);
		listen_for(&flows[i]);
	}
	open_sources();
	/* A whole second leaves time for what was just set up, and makes runs begin at the same phase of timer ticks. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	origin_ns = (now.tv_sec + 2) * NS_PER_S;
	tell_emulator(origin_ns);
	for (;;) {
		uint64_t here = now_ns(), next = FOREVER, due;
		int is_before = here > INT64_MAX;
		struct itimerspec when = { 0 };
		int count;

		if (is_before) {
			next = 0;
		} else {
			while (next_mark < mark_count && marks[next_mark] <= here && marks[next_mark] < next_sample_ns)
				sample(marks[next_mark++], 1);
			if (next_sample_ns <= here) {
				int is_mark = next_mark < mark_count && marks[next_mark] == next_sample_ns;

				sample(next_sample_ns, is_mark);
				next_mark += is_mark;
				next_sample_ns += interval_ns;
			}
			for (unsigned i = 0; i < flow_count; i++) {
				due = tick(&flows[i], here);
				next = due < next ? due : next;
			}
			if (here >= duration_ns && next_mark == mark_count) {
				say_requests();
				break;
			}
			due = change_links(here);
			next = due < next ? due : next;
			due = send_sources(here);
			next = due < next ? due : next;
			next = next_sample_ns < next ? next_sample_ns : next;
			if (next_mark < mark_count && marks[next_mark] < next)
				next = marks[next_mark];
		}
		when.it_value.tv_sec = (origin_ns + next) / NS_PER_S;
		when.it_value.tv_nsec = (origin_ns + next) % NS_PER_S;
		timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL);
		do {
			count = epoll_wait(poll_descriptor, events, 64, -1);
			for (int i = 0; i < count; i++)
				if ((events[i].data.u64 & 0xff) != TIMER)
					serve(&flows[events[i].data.u64 >> 8], events[i].data.u64 & 0xff, events[i].events);
			/* A socket may have made something due earlier than the timer. */
			for (int i = 0; i < count; i++)
				if ((events[i].data.u64 & 0xff) == TIMER || flows[events[i].data.u64 >> 8].ready_ns)
					count = -1;
		} while (count >= 0);
	}
}
