/* Carries out a plan, line by line. */
#define _GNU_SOURCE
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MAX_WORDS 4200

static char *whole_file(const char *path, uint64_t *bytes)
{
	FILE *file = fopen(path, "rb");
	char *content;

	if (!file || fseek(file, 0, SEEK_END) < 0)
		fail("%s: %s", path, strerror(errno));
	*bytes = ftell(file);
	rewind(file);
	content = malloc(*bytes + 1);
	if (fread(content, 1, *bytes, file) != *bytes)
		fail("%s: cannot be read", path);
	content[*bytes] = 0;
	fclose(file);
	return content;
}

static void write_file(const char *path, const char *content, uint64_t bytes)
{
	int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (descriptor < 0 || write(descriptor, content, bytes) != (ssize_t)bytes)
		fail("%s: %s", path, strerror(errno));
	close(descriptor);
}

/* The seed decides what the kernel draws from here on: random losses, ports, sequence numbers. */
static void seed_kernel(uint64_t seed)
{
	struct {
		int bits, bytes;
		uint64_t seed[4];
	} entropy = { 256, 32, { seed, ~seed, seed, ~seed } };
	int descriptor = open("/dev/urandom", O_RDWR | O_CLOEXEC);

	if (ioctl(descriptor, RNDADDENTROPY, &entropy) < 0 || ioctl(descriptor, RNDRESEEDCRNG) < 0)
		fail("the kernel takes no seed: %s", strerror(errno));
	close(descriptor);
}

static void carry_out(char **words, unsigned count)
{
	if (!strcmp(words[0], "seed") && count == 2) {
		seed_kernel(strtoull(words[1], NULL, 10));
	} else if (!strcmp(words[0], "namespace") && count == 2) {
		create_namespace(words[1]);
	} else if (!strcmp(words[0], "write") && count >= 4) {
		for (unsigned i = 4; i < count; i++)
			words[i][-1] = ' '; /* the value has several words */
		write_setting(words[1], words[2], words[3]);
	} else if (!strcmp(words[0], "offload") && count == 5) {
		set_offload(words[1], words[2], words[3], atoi(words[4]));
	} else if (!strcmp(words[0], "execute") && count >= 3) {
		execute(words[1], words + 2);
	} else if (!strcmp(words[0], "hold") && count >= 2) {
		hold(words + 1);
	} else if (!strcmp(words[0], "emulator") && count >= 2) {
		start_emulator(words + 1);
	} else if (!strcmp(words[0], "end-emulator") && count == 1) {
		end_emulator();
	} else if (!strcmp(words[0], "report") && count == 2) {
		uint64_t size;

		say("network %s", whole_file(words[1], &size));
	} else if (!strcmp(words[0], "change") && count >= 4) {
		add_change(strtoull(words[1], NULL, 10), words[2], words + 3, count - 3);
	} else if (!strcmp(words[0], "queue") && count == 5) {
		add_queue(words[1], words[2], words[3], words[4]);
	} else if (!strcmp(words[0], "flow")) {
		add_flow(words + 1, count - 1);
	} else if (!strcmp(words[0], "warm") && count == 4) {
		warm(words[1], words[2], words[3]);
	} else if (!strcmp(words[0], "source")) {
		add_source(words + 1, count - 1);
	} else if (!strcmp(words[0], "run") && count >= 3) {
		static uint64_t marks[MAX_WORDS];

		for (unsigned i = 3; i < count; i++)
			marks[i - 3] = strtoull(words[i], NULL, 10);
		run(strtoull(words[1], NULL, 10), strtoull(words[2], NULL, 10), marks, count - 3);
	} else {
		fail("the plan has a line that begins with '%s'", words[0]);
	}
}

int main(int count, char **arguments)
{
	char *plan, *end;
	uint64_t bytes;

	signal(SIGPIPE, SIG_IGN);
	/* A kernel hands words of its command line that it does not know to its first process. */
	if (getpid() == 1 && (count == 1 || !strcmp(arguments[1], "nokaslr"))) {
		boot();
		plan = guest_plan(&bytes);
	} else if (count == 2) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		plan = whole_file(arguments[1], &bytes);
		become_private();
	} else {
		fail("usage: agent PLAN");
	}
	for (end = plan + bytes; plan < end;) {
		static char *words[MAX_WORDS + 1];
		char *line_end = memchr(plan, '\n', end - plan), *next;
		unsigned used = 0;

		if (!line_end)
			line_end = end;
		*line_end = 0;
		next = line_end + 1;
		for (char *word = strtok(plan, " "); word && used < MAX_WORDS; word = strtok(NULL, " "))
			words[used++] = word;
		words[used] = NULL;
		if (used == 3 && !strcmp(words[0], "file")) {
			uint64_t size = strtoull(words[2], NULL, 10);

			if (size > (uint64_t)(end - next))
				fail("the plan ends within %s", words[1]);
			write_file(words[1], next, size);
			next += size + 1;
		} else if (used > 0) {
			carry_out(words, used);
		}
		plan = next;
	}
	say("end");
	flush_output();
	leave(0);
}
