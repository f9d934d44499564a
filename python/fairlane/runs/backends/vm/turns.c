/* Keeps the host's scheduling and its clocks out of QEMU; loaded into it by LD_PRELOAD.
 *
 * Its main loop and its processor's thread take turns:
 *
 * With -icount sleep=off the main loop moves the clock of an idle guest to its next timer. A processor counts as idle
 * from the moment at which it executes HLT, but the instructions up to it are added to the clock only a little later, by
 * the thread of the processor. A main loop that looks in between computes the distance to the timer from a clock that is
 * behind, and the timer then fires late by the instructions that were not yet counted. This depends on how the machine
 * schedules the two threads. The main loop has nothing to do while a guest executes, because the processor's thread
 * serves the timers; so the main loop waits here until the other thread waits for it.
 *
 * It looks once after it has waited for events, and again when it holds QEMU's big lock: the other thread, which it woke
 * earlier, may begin to execute in between. That thread notes that it executes, and that it does not, only while it holds
 * this lock.
 *
 * The host's clocks stand still. QEMU ends a stretch of instructions early if a timer of the host's clock is due, and
 * executes none until the main loop has served it, which would have no turn; and the sizes of its translation buffers
 * (TLBs), on which it depends whether a guest sees a stale entry and takes another page fault, follow the host's time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Any time will do; this one is in 2026. */
#define HOST_TIME_S 1767225600

/* Whether the processor's thread executes. */
static uint32_t executes;
/* That thread: the first one apart from the main thread that waits for a condition, which is that the machine starts. */
static pid_t processor;
/* QEMU's big lock: the one that this thread waits with. */
static pthread_mutex_t *big_lock;

typedef int wait_function(pthread_cond_t *, pthread_mutex_t *);
typedef int lock_function(pthread_mutex_t *);
typedef int poll_function(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);

static pid_t process;
static wait_function *real_wait;
static lock_function *real_lock;
static poll_function *real_poll;

__attribute__((constructor)) static void find_real_functions(void)
{
	process = getpid();
	/* On x86-64 there is an older one of the same name, with another form of the condition. */
	real_wait = (wait_function *)dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2");
	if (!real_wait)
		real_wait = (wait_function *)dlsym(RTLD_NEXT, "pthread_cond_wait");
	real_lock = (lock_function *)dlsym(RTLD_NEXT, "pthread_mutex_lock");
	real_poll = (poll_function *)dlsym(RTLD_NEXT, "ppoll");
	/* Programs that QEMU starts are none of our business. */
	unsetenv("LD_PRELOAD");
}

/* The identity of this thread, without a call of the kernel each time. */
static pid_t this_thread(void)
{
	static __thread pid_t known;

	if (!known)
		known = gettid();
	return known;
}

static int is_main(void)
{
	return this_thread() == process;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	pid_t none = 0, here = this_thread();
	int status;

	if (!is_main())
		__atomic_compare_exchange_n(&processor, &none, here, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&processor, __ATOMIC_SEQ_CST) != here)
		return real_wait(condition, mutex);
	__atomic_store_n(&big_lock, mutex, __ATOMIC_SEQ_CST);
	__atomic_store_n(&executes, 0, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &executes, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	status = real_wait(condition, mutex);
	__atomic_store_n(&executes, 1, __ATOMIC_SEQ_CST);
	return status;
}

static void wait_for_turn(void)
{
	while (__atomic_load_n(&executes, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &executes, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int status;

	if (!real_lock) /* a constructor of another library */
		find_real_functions();
	status = real_lock(mutex);
	if (mutex != __atomic_load_n(&big_lock, __ATOMIC_SEQ_CST) || !is_main())
		return status;
	while (__atomic_load_n(&executes, __ATOMIC_SEQ_CST)) {
		pthread_mutex_unlock(mutex);
		wait_for_turn();
		real_lock(mutex);
	}
	return status;
}

int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *limit, const sigset_t *signals)
{
	int ready = real_poll(descriptors, count, limit, signals);

	if (is_main())
		wait_for_turn();
	return ready;
}

int __ppoll_chk(struct pollfd *descriptors, nfds_t count, const struct timespec *limit, const sigset_t *signals, size_t size)
{
	(void)size;
	return ppoll(descriptors, count, limit, signals);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	now->tv_sec = HOST_TIME_S;
	now->tv_nsec = 0;
	return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	(void)zone;
	now->tv_sec = HOST_TIME_S;
	now->tv_usec = 0;
	return 0;
}
