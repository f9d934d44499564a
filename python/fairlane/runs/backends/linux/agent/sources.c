/* UDP sources: packets at a constant rate, all the time or in on periods, to hosts that read none of them. */
#define _GNU_SOURCE
#include "agent.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define MAX_SOURCES 1000
/* IPv4 and UDP headers. */
#define HEADER_BYTES 28

static struct source {
	char sender[32], receiver[32];
	struct sockaddr_in to;
	uint64_t rate_bps, packet_bytes, start_ns, stop_ns, on_ns, off_ns, seed;
	uint64_t period_start_ns, period_end_ns, sent_in_period, sent;
	unsigned short random[3];
	int socket, receiver_counters;
} sources[MAX_SOURCES];
static unsigned source_count;

/* The length of a period; with a seed, one of an exponential distribution with this mean. */
static uint64_t drawn_ns(struct source *source, uint64_t mean_ns)
{
	return source->seed ? -log(1 - erand48(source->random)) * mean_ns : mean_ns;
}

static void begin_period(struct source *source, uint64_t start_ns)
{
	source->period_start_ns = start_ns;
	source->period_end_ns = source->on_ns ? start_ns + drawn_ns(source, source->on_ns) : UINT64_MAX;
	source->sent_in_period = 0;
}

/* source SENDER RECEIVER ADDRESS RATE_BPS PACKET_BYTES START STOP ON OFF SEED; an on time of 0 is without end. */
void add_source(char **words, unsigned count)
{
	struct source *source = &sources[source_count];
	uint64_t *numbers[] = { &source->rate_bps, &source->packet_bytes, &source->start_ns,
				&source->stop_ns,  &source->on_ns,	  &source->off_ns, &source->seed };

	if (source_count == MAX_SOURCES || count != 10)
		fail("more than %d UDP sources", MAX_SOURCES);
	source_count++;
	snprintf(source->sender, sizeof(source->sender), "%s", words[0]);
	snprintf(source->receiver, sizeof(source->receiver), "%s", words[1]);
	source->to = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(5201) };
	inet_pton(AF_INET, words[2], &source->to.sin_addr);
	for (unsigned i = 0; i < 7; i++)
		*numbers[i] = strtoull(words[3 + i], NULL, 10);
	memcpy(source->random, &source->seed, sizeof(source->random));
	begin_period(source, source->start_ns);
}

void open_sources(void)
{
	for (struct source *source = sources; source < sources + source_count; source++) {
		int sink;

		enter(source->receiver);
		source->receiver_counters = open_device_counters();
		/* It reads nothing, so that the kernel drops what arrives and sends no ICMP. */
		sink = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		if (bind(sink, (void *)&source->to, sizeof(source->to)) < 0)
			fail("no socket for UDP: %s", strerror(errno));
		enter(source->sender);
		source->socket = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (connect(source->socket, (void *)&source->to, sizeof(source->to)) < 0)
			fail("no socket for UDP: %s", strerror(errno));
		enter("-");
	}
}

/* The n-th packet of a period is sent n packet times after its start, as in the simulator. */
static uint64_t next_ns(struct source *source)
{
	__uint128_t bits = (__uint128_t)source->sent_in_period * source->packet_bytes * 8;
	uint64_t next = source->period_start_ns + (uint64_t)(bits * NS_PER_S / source->rate_bps);

	if (next >= source->period_end_ns) {
		uint64_t after = source->period_end_ns + drawn_ns(source, source->off_ns);

		next = next > after ? next : after;
		begin_period(source, next);
	}
	return next < source->stop_ns ? next : UINT64_MAX;
}

uint64_t send_sources(uint64_t now)
{
	static const char payload[65536];
	uint64_t first = UINT64_MAX;

	for (struct source *source = sources; source < sources + source_count; source++) {
		uint64_t next;

		while ((next = next_ns(source)) <= now) {
			/* A packet that a full device drops was sent, too. */
			send(source->socket, payload, source->packet_bytes - HEADER_BYTES, 0);
			source->sent++;
			source->sent_in_period++;
		}
		first = next < first ? next : first;
	}
	return first;
}

void sample_sources(void)
{
	for (unsigned i = 0; i < source_count; i++)
		say("u %u %llu %llu", i, (unsigned long long)sources[i].sent,
		    received_packets(sources[i].receiver_counters));
}
