/* The agent: builds the network of a plan out of namespaces, runs its flows and samples them.
 *
 * It is the first process of a guest, and an ordinary one on a machine. Nothing is written while flows run: what is
 * said waits in memory, so that measuring changes the measured network as little as possible.
 */
#pragma once
#include <stdint.h>
#include <stdnoreturn.h>

#define MAX_NAMESPACES 4096
#define MAX_FLOWS 2048
#define NS_PER_S 1000000000ULL

/* output.c */
void say(const char *form, ...) __attribute__((format(printf, 1, 2)));
noreturn void fail(const char *form, ...) __attribute__((format(printf, 1, 2)));
void flush_output(void);
extern void (*write_output)(const char *text, uint64_t bytes);
/* Tells that virtual time proceeds. A machine's own time needs no such sign. */
extern void (*show_life)(void);
/* Does not return. */
extern void (*leave)(int status);

/* boot.c: as the first process of a guest */
void boot(void);
char *guest_plan(uint64_t *bytes);

/* namespaces.c */
/* On a machine: everything that is made from here on disappears when this process ends. */
void become_private(void);
void create_namespace(const char *name);
/* The calling thread enters the namespace; "-" is the one in which the agent was started. */
void enter(const char *name);
void write_setting(const char *name, const char *path, const char *value);
void set_offload(const char *name, const char *device, const char *feature, int on);
/* Runs a program to its end; fails with its last words if it does. */
void execute(const char *name, char **arguments);

/* Starts a program that ends with this process, and waits until it says "ready". */
void hold(char **arguments);

/* Starts the process that carries packets between hosts whose network is emulated, and waits until it says "ready". */
void start_emulator(char **arguments);
/* Tells it when the run begins, on the monotonic clock; without such a process nothing is done. */
void tell_emulator(uint64_t origin_ns);
/* Waits until it has written its report. */
void end_emulator(void);

/* flows.c */
struct request {
	uint64_t asked_ns, answered_ns;
};

struct flow {
	unsigned number;
	char sender[32], receiver[32], address[48], algorithm[16], workload[24];
	uint64_t start_ns, stop_ns;
	/* Values of the workload: bytes; request, response and think time; interval and bytes of a ping; bytes and interval
	 * of writes; on and off times. */
	uint64_t arguments[3];
	int no_delay;

	int listener, control, control_accepted, out, in;
	int control_stage;
	uint64_t quota, received, asked, answered, completed, ready_ns, finished_ns, opened_ns;
	struct request *requests;
	uint64_t requested, request_room;
	int is_on, is_stopped, is_shut;
	/* Descriptors of /proc/net/dev and /proc/net/netstat of both hosts. */
	int sender_counters, receiver_counters, sender_mib;
};
extern struct flow flows[MAX_FLOWS];
extern unsigned flow_count;
extern uint64_t origin_ns;
void add_flow(char **words, unsigned count);
void warm(const char *sender, const char *receiver, const char *address);
void run(uint64_t duration_ns, uint64_t interval_ns, uint64_t *marks, unsigned mark_count);
void add_change(uint64_t at_ns, const char *name, char **words, unsigned count);

/* sources.c */
void add_source(char **words, unsigned count);
void open_sources(void);
/* Sends the packets that are due; returns the time of the next one. */
uint64_t send_sources(uint64_t now);
void sample_sources(void);

/* samples.c */
/* Counters of the device of the current namespace. */
int open_device_counters(void);
unsigned long long received_packets(int counters);
void add_queue(const char *name, const char *space, const char *device, const char *handle);
void open_counters(struct flow *flow);
void sample(uint64_t at_ns, int is_mark);
