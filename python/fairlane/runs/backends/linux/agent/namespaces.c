/* Network namespaces: creating them, and doing things inside. */
#define _GNU_SOURCE
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
	char name[32];
	int descriptor;
} spaces[MAX_NAMESPACES];
static unsigned space_count;

static void write_once(const char *path, const char *form, unsigned number)
{
	int descriptor = open(path, O_WRONLY | O_CLOEXEC);

	if (descriptor < 0 || dprintf(descriptor, form, number) < 0)
		fail("%s: %s", path, strerror(errno));
	close(descriptor);
}

/* Everything that is made from here on is gone when the last process of this run ends, however it ends. Without root,
 * this process is root in a user namespace of its own. */
void become_private(void)
{
	unsigned user = geteuid(), group = getegid();

	if (user != 0) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
			fail("this user may not create namespaces: %s; run it as root", strerror(errno));
		write_once("/proc/self/setgroups", "deny", 0);
		write_once("/proc/self/uid_map", "0 %u 1", user);
		write_once("/proc/self/gid_map", "0 %u 1", group);
	}
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		fail("cannot create a mount namespace: %s", strerror(errno));
	/* `ip` finds namespaces by name here; only this process and its children see this folder. */
	if (mount("run", "/run", "tmpfs", 0, NULL) < 0)
		fail("/run: %s", strerror(errno));
	/* What is allowed to a process is decided anew with its namespaces. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static int own(void)
{
	static int descriptor = -1;

	if (descriptor < 0)
		descriptor = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	return descriptor;
}

void create_namespace(const char *name)
{
	char path[96];
	int descriptor;

	own();
	if (space_count == MAX_NAMESPACES)
		fail("more than %d hosts", MAX_NAMESPACES);
	if (unshare(CLONE_NEWNET) < 0)
		fail("cannot create a network namespace: %s", strerror(errno));
	/* `ip` finds namespaces by name here. */
	mkdir("/run/netns", 0755);
	snprintf(path, sizeof(path), "/run/netns/%s", name);
	descriptor = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	if (descriptor < 0)
		fail("%s: %s", path, strerror(errno));
	close(descriptor);
	if (mount("/proc/self/ns/net", path, "none", MS_BIND, NULL) < 0)
		fail("%s: cannot mount: %s", path, strerror(errno));
	snprintf(spaces[space_count].name, sizeof(spaces[0].name), "%s", name);
	spaces[space_count++].descriptor = open(path, O_RDONLY | O_CLOEXEC);
	enter("-");
}

void enter(const char *name)
{
	int descriptor = strcmp(name, "-") ? -1 : own();

	for (unsigned i = 0; descriptor < 0 && i < space_count; i++)
		if (!strcmp(spaces[i].name, name))
			descriptor = spaces[i].descriptor;
	if (setns(descriptor, CLONE_NEWNET) < 0)
		fail("cannot enter the namespace %s: %s", name, strerror(errno));
}

void write_setting(const char *name, const char *path, const char *value)
{
	int descriptor;

	enter(name);
	descriptor = open(path, O_WRONLY | O_CLOEXEC);
	if (descriptor < 0 || write(descriptor, value, strlen(value)) < 0)
		fail("%s: cannot write '%s': %s", path, value, strerror(errno));
	close(descriptor);
	enter("-");
}

void set_offload(const char *name, const char *device, const char *feature, int on)
{
	struct ethtool_value value = { .data = on };
	struct ifreq request = { 0 };
	int descriptor, ask;

	value.cmd = !strcmp(feature, "tso") ? ETHTOOL_STSO : !strcmp(feature, "gso") ? ETHTOOL_SGSO : ETHTOOL_SGRO;
	ask = value.cmd == ETHTOOL_STSO ? ETHTOOL_GTSO : value.cmd == ETHTOOL_SGSO ? ETHTOOL_GGSO : ETHTOOL_GGRO;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", device);
	request.ifr_data = (void *)&value;
	enter(name);
	descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (ioctl(descriptor, SIOCETHTOOL, &request) < 0)
		fail("%s: cannot switch %s: %s", device, feature, strerror(errno));
	/* A driver may take a wish without granting it. */
	value.cmd = ask;
	if (ioctl(descriptor, SIOCETHTOOL, &request) < 0 || !value.data != !on)
		fail("%s: %s is %s although it was switched", device, feature, value.data ? "on" : "off");
	close(descriptor);
	enter("-");
}

/* Starts a program that ends with this process at the latest, and waits for the line by which it says that it is ready.
 * It reads from `input` and writes to `output`. */
static void start(char **arguments, int *input, int *output)
{
	char words[2048];
	int in[2], out[2];
	ssize_t bytes, used = 0;

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		fail("no pipe: %s", strerror(errno));
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(in[0], 0);
		dup2(out[1], 1);
		dup2(out[1], 2);
		execvp(arguments[0], arguments);
		dprintf(2, "%s: %s", arguments[0], strerror(errno));
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	do {
		bytes = read(out[0], words + used, sizeof(words) - 1 - used);
		used += bytes > 0 ? bytes : 0;
		words[used] = 0;
	} while (bytes > 0 && !strstr(words, "ready\n"));
	if (!strstr(words, "ready\n"))
		fail("%s: %s", arguments[0], words);
	*input = in[1];
	*output = out[0];
}

void hold(char **arguments)
{
	int input, output;

	/* Both stay open: the program may have more to say. */
	start(arguments, &input, &output);
}

static int emulator_input = -1, emulator_output = -1;

void start_emulator(char **arguments)
{
	start(arguments, &emulator_input, &emulator_output);
}

void tell_emulator(uint64_t origin_ns)
{
	if (emulator_input >= 0 && dprintf(emulator_input, "origin %llu\n", (unsigned long long)origin_ns) < 0)
		fail("the network's process is gone: %s", strerror(errno));
}

void end_emulator(void)
{
	char words[2048];
	ssize_t bytes, used = 0;

	close(emulator_input);
	while ((bytes = read(emulator_output, words + used, sizeof(words) - 1 - used)) > 0)
		used += bytes;
	words[used] = 0;
	if (used > 0)
		fail("the network's process: %s", words);
}

void execute(const char *name, char **arguments)
{
	char words[2048];
	int pipes[2], status;
	ssize_t bytes, used = 0;
	pid_t child;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		fail("no pipe: %s", strerror(errno));
	child = fork();
	if (child == 0) {
		enter(name);
		dup2(pipes[1], 1);
		dup2(pipes[1], 2);
		execvp(arguments[0], arguments);
		dprintf(2, "%s: %s", arguments[0], strerror(errno));
		_exit(127);
	}
	close(pipes[1]);
	while ((bytes = read(pipes[0], words + used, sizeof(words) - 1 - used)) > 0)
		used += bytes;
	words[used] = 0;
	close(pipes[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		fail("%s %s: %s", arguments[0], arguments[1] ? arguments[1] : "", words);
}
