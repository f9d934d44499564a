// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Runs in the virtual machine of try.py: loads each object file into this kernel, registers its congestion control,
 * moves 5 MB over loopback with it, and prints a line about each.
 */
#include <arpa/inet.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BYTES 5000000L
#define SHOWN 1200

static char messages[1 << 16];
static size_t messages_length;
static int listener;

/* Keeps what libbpf says, for when a program is refused. */
static int keep(enum libbpf_print_level level, const char *format, va_list arguments)
{
	size_t room = sizeof(messages) - messages_length;
	int length;

	if (level == LIBBPF_DEBUG || room < 2)
		return 0;
	length = vsnprintf(messages + messages_length, room, format, arguments);
	if (length > 0)
		messages_length += (size_t)length < room ? (size_t)length : room - 1;
	return 0;
}

static void *receive(void *total)
{
	static char buffer[1 << 16];
	int connection = accept(listener, NULL, NULL);
	long got;

	while ((got = read(connection, buffer, sizeof(buffer))) > 0)
		*(long *)total += got;
	close(connection);
	return NULL;
}

/* How many bytes arrived over a connection with this congestion control; -1: it cannot be had. */
static long transfer(const char *name)
{
	static char data[1 << 16];
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	long total = 0, left = BYTES;
	pthread_t receiver;
	int sender = socket(AF_INET, SOCK_STREAM, 0);

	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (void *)&address, sizeof(address)) || listen(listener, 1) ||
	    getsockname(listener, (void *)&address, &length) ||
	    setsockopt(sender, IPPROTO_TCP, TCP_CONGESTION, name, strlen(name)))
		return -1;
	pthread_create(&receiver, NULL, receive, &total);
	if (connect(sender, (void *)&address, sizeof(address)))
		return -1;
	while (left > 0) {
		long sent = write(sender, data, left < (long)sizeof(data) ? left : (long)sizeof(data));

		if (sent <= 0)
			break;
		left -= sent;
	}
	close(sender);
	pthread_join(receiver, NULL);
	close(listener);
	return total;
}

static void try(const char *path)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .kconfig = "CONFIG_HZ=250\n");
	const char *base = strrchr(path, '/') + 1;
	struct bpf_object *object = bpf_object__open_file(path, &options);
	char name[16] = "";
	struct bpf_map *map;

	printf("RESULT %.*s ", (int)(strchr(base, '.') - base), base);
	messages_length = 0;
	if (!object || bpf_object__load(object)) {
		size_t skipped = messages_length > SHOWN ? messages_length - SHOWN : 0;

		printf("refused\n%.*s\n", SHOWN, messages + skipped);
		return;
	}
	bpf_object__for_each_map(map, object) {
		if (bpf_map__type(map) != BPF_MAP_TYPE_STRUCT_OPS)
			continue;
		snprintf(name, sizeof(name), "fl_%.*s", (int)(strchr(base, '.') - base), base);
		if (!bpf_map__attach_struct_ops(map)) {
			printf("not registered: %s\n", strerror(errno));
			return;
		}
	}
	printf("%s\n", transfer(name) == BYTES ? "works" : "loads, but moves no data");
	fflush(stdout);
}

int main(int count, char **paths)
{
	int i;

	libbpf_set_print(keep);
	for (i = 1; i < count; i++)
		try(paths[i]);
	return 0;
}
