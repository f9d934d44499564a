/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Guarded calls of algorithms: a fault in a callback does not end the process.
 *
 * When a callback accesses invalid memory or never returns, a signal handler jumps back to the caller of the
 * callback. A division by zero gets the result that BPF defines, where the processor traps it (x86); elsewhere it
 * is a fault, too. Callbacks are plain C without locks, so only the callback's own work is lost. A
 * signal that arrives while no callback runs goes to the previous handler (Python's faulthandler, Rust's stack
 * guard).
 *
 * There is one guard per thread. A timer on the thread's CPU time detects infinite loops, regardless of the
 * load of the machine.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* The builtins take a few instructions; clang has them for some architectures only. */
#if defined(__clang__) && !defined(__x86_64__)
#include <setjmp.h>
typedef jmp_buf jump_place;
#define SAVE_PLACE(place) _setjmp(place)
#define JUMP_TO(place) _longjmp(place, 1)
#else
typedef void *jump_place[5];
#define SAVE_PLACE(place) __builtin_setjmp(place)
#define JUMP_TO(place) __builtin_longjmp(place, 1)
#endif

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum fault { FAULT_NONE, FAULT_DIVISION, FAULT_LOOP, FAULT_MEMORY, FAULT_CLOCK, DIVIDED, UNGUARDED };

/* One tick per 0.4 s of CPU time; a callback that still runs after three ticks is in an infinite loop. */
#define TICK_NS 400000000L
#define PATIENCE_TICKS 3
#define ALTERNATE_STACK_BYTES (64 * 1024)

struct guard {
	jump_place jump;           /* where the callback was called from */
	volatile uint32_t active;  /* a callback runs */
	volatile uint32_t fault;   /* why it was left */
	volatile uintptr_t fault_address; /* of a memory access */
	volatile uint32_t divided; /* DIVIDED after a division by zero that got a result */
	volatile uint64_t calls;
	uint64_t calls_at_tick;
	uint32_t ticks_without_return;
	pid_t owner;               /* timers do not survive fork() */
	int has_timer;
	timer_t timer;
	void *alternate_stack;
};

static __thread struct guard *this_thread __attribute__((tls_model("initial-exec")));
static struct sigaction earlier[65];
static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;
static const int fault_signals[] = { SIGFPE, SIGSEGV, SIGBUS, SIGILL, SIGTRAP };

static int tick_signal(void)
{
	return SIGRTMIN + 9;
}

static __attribute__((noreturn)) void leave_callback(struct guard *guard, enum fault fault)
{
	guard->fault = fault;
	guard->active = 0;
	JUMP_TO(guard->jump);
}

/* Where reading the clock is a fault (PR_SET_TSC): is the instruction RDTSC or RDTSCP? */
static int reads_clock(int number, const siginfo_t *info, const void *context)
{
#if defined(__x86_64__)
	if (number == SIGSEGV && info->si_code == SI_KERNEL) {
		const ucontext_t *state = context;
		const unsigned char *code = (const unsigned char *)state->uc_mcontext.gregs[REG_RIP];

		return code[0] == 0x0f && (code[1] == 0x31 || (code[1] == 0x01 && code[2] == 0xf9));
	}
#endif
	(void)number, (void)info, (void)context;
	return 0;
}

#if defined(__x86_64__)
/* The general registers in the order of their numbers in instructions. */
static const int registers[] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
				 REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

/* Reads the divisor of a DIV or IDIV whose ModRM byte is at `code`; returns the instruction's end, or NULL if its operand
 * has a form that compilers do not use here. */
static const unsigned char *read_divisor(const greg_t *gregs, const unsigned char *code, unsigned rex, unsigned bytes,
					 uint64_t *divisor)
{
	unsigned mod = *code >> 6, low = *code & 7;
	int64_t address = 0;
	int32_t wide;

	code++;
	if (mod == 3) {
		unsigned number = low | (rex & 1) << 3;

		*divisor = bytes == 1 && !rex && number >= 4 ? (uint64_t)gregs[registers[number - 4]] >> 8 :
							       (uint64_t)gregs[registers[number]];
		return code;
	}
	if (low == 4) { /* scale, index, base */
		unsigned scale = *code >> 6, index = (*code >> 3 & 7) | (rex & 2) << 2, base = *code & 7;

		code++;
		if (index != 4)
			address += (int64_t)((uint64_t)gregs[registers[index]] << scale);
		if (base != 5 || mod != 0)
			address += gregs[registers[base | (rex & 1) << 3]];
		else
			low = 5, mod = 4;
	} else if (low != 5 || mod != 0) {
		address += gregs[registers[low | (rex & 1) << 3]];
	}
	if (mod == 1) {
		address += (signed char)*code++;
	} else if (mod == 2 || mod == 4 || (mod == 0 && low == 5)) {
		memcpy(&wide, code, 4);
		code += 4;
		address += wide + (mod == 0 ? (int64_t)(intptr_t)code : 0); /* relative to the next instruction */
	}
	*divisor = 0;
	memcpy(divisor, (const void *)address, bytes);
	return code;
}

/* BPF's result of a division that the processor cannot do (RFC 9669 section 4.1): by zero, a quotient of 0 and the
 * dividend as the remainder; of the smallest number by -1, that number and 0. Returns whether it was done. */
static int divide_as_bpf(int number, ucontext_t *state)
{
	greg_t *gregs = state->uc_mcontext.gregs;
	const unsigned char *code = (const unsigned char *)gregs[REG_RIP];
	unsigned rex = 0, bytes = 4;
	uint64_t divisor, dividend, mask, quotient, remainder;

	if (number != SIGFPE)
		return 0;
	if (*code == 0x66)
		bytes = 2, code++;
	if ((*code & 0xf0) == 0x40)
		rex = *code++;
	if (rex & 8)
		bytes = 8;
	if ((*code != 0xf6 && *code != 0xf7) || (code[1] >> 3 & 7) < 6)
		return 0;
	if (*code == 0xf6)
		bytes = 1;
	code = read_divisor(gregs, code + 1, rex, bytes, &divisor);
	mask = bytes == 8 ? ~0ULL : (1ULL << 8 * bytes) - 1;
	dividend = gregs[REG_RAX] & mask;
	quotient = divisor & mask ? dividend : 0;
	remainder = divisor & mask ? 0 : dividend;
	if (bytes == 1) {
		gregs[REG_RAX] = (gregs[REG_RAX] & ~0xffffULL) | quotient | remainder << 8;
	} else {
		uint64_t kept = bytes == 2 ? ~mask : 0;

		gregs[REG_RAX] = (gregs[REG_RAX] & kept) | quotient;
		gregs[REG_RDX] = (gregs[REG_RDX] & kept) | remainder;
	}
	gregs[REG_RIP] = (greg_t)(uintptr_t)code;
	return 1;
}
#else
static int divide_as_bpf(int number, ucontext_t *state)
{
	(void)number, (void)state;
	return 0;
}
#endif

static enum fault fault_of(int number, const siginfo_t *info, const void *context)
{
	if (reads_clock(number, info, context))
		return FAULT_CLOCK;
#if !defined(__x86_64__)
	/* No hardware trap on division there; the compiler inserts one. */
	if (number == SIGILL || number == SIGTRAP)
		return FAULT_DIVISION;
#endif
	return number == SIGFPE ? FAULT_DIVISION : FAULT_MEMORY;
}

static void pass_on(int number, siginfo_t *info, void *context)
{
	static __thread int passing __attribute__((tls_model("initial-exec")));
	struct sigaction *action = &earlier[number];

	if (!passing && (action->sa_flags & SA_SIGINFO)) {
		passing = 1;
		action->sa_sigaction(number, info, context);
		passing = 0;
	} else if (!passing && action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN) {
		passing = 1;
		action->sa_handler(number);
		passing = 0;
	} else {
		/* Returning repeats the faulty instruction, now without a handler. */
		signal(number, SIG_DFL);
	}
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	struct guard *guard = this_thread;

	if (guard && guard->active) {
		int is_access = number == SIGSEGV && (info->si_code == SEGV_ACCERR || info->si_code == SEGV_MAPERR);

		if (divide_as_bpf(number, context)) {
			guard->divided = DIVIDED;
			return;
		}
		guard->fault_address = is_access ? (uintptr_t)info->si_addr : 0;
		leave_callback(guard, fault_of(number, info, context));
	}
	pass_on(number, info, context);
}

static void on_tick(int number, siginfo_t *info, void *context)
{
	struct guard *guard = this_thread;

	(void)number, (void)info, (void)context;
	if (!guard)
		return;
	if (!guard->active || guard->calls != guard->calls_at_tick) {
		guard->calls_at_tick = guard->calls;
		guard->ticks_without_return = 0;
	} else if (++guard->ticks_without_return >= PATIENCE_TICKS - 1) {
		guard->ticks_without_return = 0;
		leave_callback(guard, FAULT_LOOP);
	}
}

static void install(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action, present;

	if (sigaction(number, NULL, &present) || present.sa_sigaction == handler)
		return;
	earlier[number] = present;
	memset(&action, 0, sizeof(action));
	action.sa_sigaction = handler;
	/* SA_NODEFER: the handler may leave by a jump, and the signal must not stay blocked. */
	action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART | flags;
	sigaction(number, &action, NULL);
}

/* Other handlers may have been installed since: puts this one in front again. */
static void install_handlers(void)
{
	size_t i;

	pthread_mutex_lock(&install_lock);
	for (i = 0; i < sizeof(fault_signals) / sizeof(fault_signals[0]); i++)
		install(fault_signals[i], on_fault, SA_ONSTACK);
	install(tick_signal(), on_tick, SA_ONSTACK);
	pthread_mutex_unlock(&install_lock);
}

static void start_timer(struct guard *guard)
{
	struct itimerspec interval = { { 0, TICK_NS }, { 0, TICK_NS } };
	struct sigevent event;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = tick_signal();
	event.sigev_notify_thread_id = syscall(SYS_gettid);
	guard->has_timer = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &guard->timer) == 0 &&
			   timer_settime(guard->timer, 0, &interval, NULL) == 0;
	guard->owner = getpid();
}

/* A callback that overflows the stack needs another one for its handler. */
static void give_alternate_stack(struct guard *guard)
{
	stack_t present, stack;

	if (sigaltstack(NULL, &present) || !(present.ss_flags & SS_DISABLE))
		return;
	guard->alternate_stack = malloc(ALTERNATE_STACK_BYTES);
	if (!guard->alternate_stack)
		return;
	memset(&stack, 0, sizeof(stack));
	stack.ss_sp = guard->alternate_stack;
	stack.ss_size = ALTERNATE_STACK_BYTES;
	sigaltstack(&stack, NULL);
}

/* Prepares the calling thread's guard; called before every load, and before a thread's first call. */
struct guard *fairlane_guard_prepare(void)
{
	struct guard *guard = this_thread;

	install_handlers();
	if (!guard) {
		guard = calloc(1, sizeof(*guard));
		if (!guard)
			return NULL;
		give_alternate_stack(guard);
		this_thread = guard;
	}
	if (guard->owner != getpid())
		start_timer(guard);
	return guard;
}

/* Called when the thread ends and nothing uses its guard any more. */
void fairlane_guard_release(struct guard *guard)
{
	stack_t disable;

	if (guard->has_timer && guard->owner == getpid())
		timer_delete(guard->timer);
	if (this_thread == guard)
		this_thread = NULL;
	if (guard->alternate_stack) {
		memset(&disable, 0, sizeof(disable));
		disable.ss_flags = SS_DISABLE;
		sigaltstack(&disable, NULL);
		free(guard->alternate_stack);
	}
	free(guard);
}

/* Calls a callback with an array of argument words. Returns the fault; on FAULT_NONE
 * and DIVIDED *result is valid. On UNGUARDED the thread must prepare its guard first. */
__attribute__((noinline)) uint32_t fairlane_guarded_call(uint64_t (*callback)(uint64_t *), uint64_t *words,
							 uint64_t *result)
{
	struct guard *guard = this_thread;

	if (!guard)
		return UNGUARDED;
	if (SAVE_PLACE(guard->jump))
		return this_thread->fault;
	/* The jump target must be in memory before any jump. */
	__asm__ volatile("" ::: "memory");
	guard->active = 1;
	__asm__ volatile("" ::: "memory");
	*result = callback(words);
	__asm__ volatile("" ::: "memory");
	guard->active = 0;
	guard->calls++;
	return guard->divided;
}

/* After DIVIDED: the next division by zero is reported again. */
void fairlane_guard_note_division(void)
{
	this_thread->divided = FAULT_NONE;
}

/* The address of the access that was the last fault; 0 for faults of other kinds. */
uintptr_t fairlane_guard_fault_address(void)
{
	return this_thread->fault_address;
}

/* For host functions that a callback calls: while they run, nothing may jump out of them. */
uint32_t fairlane_guard_pause(void)
{
	struct guard *guard = this_thread;
	uint32_t active = guard ? guard->active : 0;

	if (guard)
		guard->active = 0;
	return active;
}

void fairlane_guard_resume(uint32_t active)
{
	if (this_thread)
		this_thread->active = active;
}
