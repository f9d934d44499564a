/* What is sampled: sockets by TCP_INFO, devices by /proc, queues by netlink. */
#define _GNU_SOURCE
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/gen_stats.h>
#include <linux/inet_diag.h>
#include <linux/rtnetlink.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SOL_TCP
#define SOL_TCP 6
#endif
#define MAX_QUEUES 4096

static struct queue {
	char name[64], space[32];
	int device, descriptor;
	uint32_t handle;
} queues[MAX_QUEUES];
static unsigned queue_count;

void add_queue(const char *name, const char *space, const char *device, const char *handle)
{
	struct queue *queue = &queues[queue_count];

	if (queue_count == MAX_QUEUES)
		fail("more than %d queues", MAX_QUEUES);
	snprintf(queue->name, sizeof(queue->name), "%s", name);
	snprintf(queue->space, sizeof(queue->space), "%s", space);
	queue->handle = strtoul(handle, NULL, 16) << 16;
	enter(space);
	queue->device = if_nametoindex(device);
	queue->descriptor = -1;
	for (unsigned i = 0; i < queue_count; i++)
		if (!strcmp(queues[i].space, space))
			queue->descriptor = queues[i].descriptor;
	if (queue->descriptor < 0)
		queue->descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	enter("-");
	queue_count++;
}

static void say_queue(struct queue *queue, struct rtattr *attribute, int left)
{
	struct gnet_stats_basic basic = { 0 };
	struct gnet_stats_queue state = { 0 };
	uint64_t packets = 0;
	char application[257] = "";

	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
		struct rtattr *inner = RTA_DATA(attribute);
		int rest = RTA_PAYLOAD(attribute);

		if ((attribute->rta_type & NLA_TYPE_MASK) != TCA_STATS2)
			continue;
		for (; RTA_OK(inner, rest); inner = RTA_NEXT(inner, rest)) {
			unsigned bytes = RTA_PAYLOAD(inner);
			unsigned char *data = RTA_DATA(inner);

			switch (inner->rta_type & NLA_TYPE_MASK) {
			case TCA_STATS_BASIC:
				memcpy(&basic, data, bytes < sizeof(basic) ? bytes : sizeof(basic));
				break;
			case TCA_STATS_QUEUE:
				memcpy(&state, data, bytes < sizeof(state) ? bytes : sizeof(state));
				break;
			case TCA_STATS_PKT64:
				memcpy(&packets, data, sizeof(packets));
				break;
			case TCA_STATS_APP:
				for (unsigned i = 0; i < bytes && i < 128; i++)
					sprintf(application + 2 * i, "%02x", data[i]);
				break;
			}
		}
	}
	say("q %s %llu %llu %u %u %u %s", queue->name, (unsigned long long)basic.bytes,
	    (unsigned long long)(packets ? packets : basic.packets), state.drops, state.qlen, state.backlog, application);
}

static void sample_queues_of(int descriptor)
{
	static char buffer[1 << 16] __attribute__((aligned(8)));
	struct {
		struct nlmsghdr head;
		struct tcmsg body;
	} request = {
		.head = { .nlmsg_len = sizeof(request), .nlmsg_type = RTM_GETQDISC, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
	};

	if (send(descriptor, &request, sizeof(request), 0) < 0)
		fail("queues cannot be asked: %s", strerror(errno));
	for (;;) {
		int bytes = recv(descriptor, buffer, sizeof(buffer), 0);
		struct nlmsghdr *message = (void *)buffer;

		if (bytes <= 0)
			fail("queues do not answer: %s", strerror(errno));
		for (; NLMSG_OK(message, bytes); message = NLMSG_NEXT(message, bytes)) {
			struct tcmsg *found = NLMSG_DATA(message);

			if (message->nlmsg_type == NLMSG_DONE || message->nlmsg_type == NLMSG_ERROR)
				return;
			for (unsigned i = 0; i < queue_count; i++)
				if (queues[i].descriptor == descriptor && queues[i].device == found->tcm_ifindex
				    && queues[i].handle == found->tcm_handle)
					say_queue(&queues[i], (void *)((char *)found + NLMSG_ALIGN(sizeof(*found))),
						  message->nlmsg_len - NLMSG_LENGTH(sizeof(*found)));
		}
	}
}

int open_device_counters(void)
{
	return open("/proc/self/net/dev", O_RDONLY | O_CLOEXEC);
}

void open_counters(struct flow *flow)
{
	enter(flow->sender);
	flow->sender_counters = open_device_counters();
	flow->sender_mib = open("/proc/self/net/netstat", O_RDONLY | O_CLOEXEC);
	enter(flow->receiver);
	flow->receiver_counters = open_device_counters();
	enter("-");
}

struct counters {
	unsigned long long rx_bytes, rx_packets, tx_bytes, tx_packets;
};

static struct counters counters(int descriptor)
{
	static char text[4096];
	struct counters found = { 0 };
	ssize_t bytes = pread(descriptor, text, sizeof(text) - 1, 0);
	char *line;

	text[bytes > 0 ? bytes : 0] = 0;
	line = strstr(text, "eth0:");
	if (line)
		sscanf(line + 5, "%llu %llu %*u %*u %*u %*u %*u %*u %llu %llu", &found.rx_bytes, &found.rx_packets,
		       &found.tx_bytes, &found.tx_packets);
	return found;
}

unsigned long long received_packets(int descriptor)
{
	return counters(descriptor).rx_packets;
}

/* The counter TCPTimeouts of a host: names on one line, values on the next. */
static long timeouts(int descriptor)
{
	static char text[32768];
	ssize_t bytes = pread(descriptor, text, sizeof(text) - 1, 0);
	char *name, *value, *names_end, *values_end;

	text[bytes > 0 ? bytes : 0] = 0;
	name = strtok_r(text, "\n", &names_end);
	value = strtok_r(NULL, "\n", &names_end);
	if (!name || !value)
		return -1;
	name = strtok_r(name, " ", &names_end);
	value = strtok_r(value, " ", &values_end);
	while (name && value) {
		if (!strcmp(name, "TCPTimeouts"))
			return atol(value);
		name = strtok_r(NULL, " ", &names_end);
		value = strtok_r(NULL, " ", &values_end);
	}
	return -1;
}

/* What BBR knows (TCP_CC_INFO, the same as `ss --info` prints); zeros for other algorithms, whose answers are shorter. */
static struct tcp_bbr_info bbr_state(int descriptor)
{
	union {
		struct tcp_bbr_info bbr;
		char any[64];
	} found = { 0 };
	struct tcp_bbr_info none = { 0 };
	socklen_t size = sizeof(found);

	if (descriptor < 0 || getsockopt(descriptor, SOL_TCP, TCP_CC_INFO, &found, &size) < 0
	    || size != sizeof(found.bbr))
		return none;
	return found.bbr;
}

/* The columns are those of COLUMNS in fairlane/backends/linux/measured.py. */
static void sample_flow(struct flow *flow, int is_mark)
{
	struct counters sender = counters(flow->sender_counters), receiver = counters(flow->receiver_counters);
	struct tcp_bbr_info bbr = bbr_state(flow->out);
	struct tcp_info out = { 0 }, in = { 0 };
	socklen_t size = sizeof(out);

	if (flow->out >= 0)
		getsockopt(flow->out, SOL_TCP, TCP_INFO, &out, &size);
	size = sizeof(in);
	if (flow->in >= 0)
		getsockopt(flow->in, SOL_TCP, TCP_INFO, &in, &size);
	say("f %u %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %u %u %u %u %d %u %llu %llu %u %u %llu %u %u %llu %ld"
	    " %llu %llu %llu %llu %u %u %u",
	    flow->number, (unsigned long long)flow->received, (unsigned long long)flow->completed, sender.tx_bytes,
	    sender.tx_packets, sender.rx_bytes, receiver.rx_bytes, receiver.rx_packets, receiver.tx_bytes,
	    receiver.tx_packets, (unsigned long long)flow->finished_ns, out.tcpi_snd_cwnd, out.tcpi_rtt, out.tcpi_rttvar,
	    out.tcpi_min_rtt, (int)(out.tcpi_unacked - out.tcpi_sacked - out.tcpi_lost + out.tcpi_retrans),
	    out.tcpi_total_retrans, (unsigned long long)out.tcpi_bytes_retrans, (unsigned long long)out.tcpi_pacing_rate,
	    out.tcpi_delivered_ce, out.tcpi_data_segs_out, (unsigned long long)out.tcpi_delivery_rate,
	    in.tcpi_data_segs_in, out.tcpi_snd_wnd, (unsigned long long)flow->opened_ns, is_mark ? timeouts(flow->sender_mib) : -1,
	    (unsigned long long)out.tcpi_busy_time, (unsigned long long)out.tcpi_rwnd_limited,
	    (unsigned long long)out.tcpi_sndbuf_limited,
	    (unsigned long long)bbr.bbr_bw_hi << 32 | bbr.bbr_bw_lo, bbr.bbr_min_rtt, bbr.bbr_pacing_gain,
	    bbr.bbr_cwnd_gain);
}

void sample(uint64_t at_ns, int is_mark)
{
	static uint64_t shown_ns;

	if (at_ns >= shown_ns + NS_PER_S) {
		show_life();
		shown_ns = at_ns;
	}
	say("%c %llu", is_mark ? 'm' : 't', (unsigned long long)at_ns);
	for (unsigned i = 0; i < flow_count; i++)
		sample_flow(&flows[i], is_mark);
	sample_sources();
	for (unsigned i = 0; i < queue_count; i++) {
		unsigned first = 0;

		while (queues[first].descriptor != queues[i].descriptor)
			first++;
		if (first == i)
			sample_queues_of(queues[i].descriptor);
	}
}
