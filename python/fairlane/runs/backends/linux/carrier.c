/* Carries packets between hosts of a guest as the simulator's network does, with the engine of this package.
 *
 * usage: carrier SCENARIO REPORT NAMESPACE...
 *
 * Makes a TUN device in each namespace, in the order of the network's ports, and hands their descriptors to the engine,
 * which is a module for Python: a file made next to this one defines the interpreter's symbols, without meaning, so that
 * it loads. None of them is used.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ENGINE "/lib/engine.so"
/* Descriptors from here on are ports. */
#define FIRST_PORT 32

static void fail(const char *about)
{
	printf("error %s: %s\n", about, strerror(errno));
	exit(1);
}

static void make_port(const char *name, int port)
{
	struct ifreq request = { .ifr_flags = IFF_TUN | IFF_NO_PI };
	char path[300];
	int space, device;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	space = open(path, O_RDONLY | O_CLOEXEC);
	if (space < 0 || setns(space, CLONE_NEWNET) < 0)
		fail(path);
	close(space);
	device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	strcpy(request.ifr_name, "eth0");
	if (device < 0 || ioctl(device, TUNSETIFF, &request) < 0)
		fail("/dev/net/tun");
	if (dup2(device, port) < 0)
		fail("too many hosts");
	close(device);
}

int main(int count, char **arguments)
{
	int (*carry)(int, int, int, int);
	int scenario, report;
	void *engine;

	if (count < 4)
		return 2;
	scenario = open(arguments[1], O_RDONLY);
	report = open(arguments[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (scenario < 0 || report < 0)
		fail("files of the network");
	for (int i = 3; i < count; i++)
		make_port(arguments[i], FIRST_PORT + i - 3);
	engine = dlopen(ENGINE, RTLD_LAZY);
	carry = engine ? (int (*)(int, int, int, int))dlsym(engine, "fairlane_carry") : NULL;
	if (!carry) {
		printf("error %s\n", dlerror());
		return 1;
	}
	return carry(scenario, report, FIRST_PORT, count - 3);
}
