/* What the agent says, kept until the end. */
#include "agent.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char *text;
static uint64_t used, room;

static void to_standard_output(const char *from, uint64_t bytes)
{
	while (bytes > 0) {
		ssize_t written = write(1, from, bytes);

		if (written <= 0)
			_exit(2);
		from += written;
		bytes -= written;
	}
}

static noreturn void exit_process(int status)
{
	_exit(status);
}

static void show_nothing(void)
{
}

void (*write_output)(const char *, uint64_t) = to_standard_output;
void (*show_life)(void) = show_nothing;
void (*leave)(int) = exit_process;

static void append(const char *form, va_list arguments)
{
	va_list again;
	int bytes;

	va_copy(again, arguments);
	bytes = vsnprintf(NULL, 0, form, again);
	va_end(again);
	if (used + bytes + 2 > room) {
		room = 2 * (used + bytes) + 65536;
		text = realloc(text, room);
		if (!text)
			leave(3);
	}
	vsnprintf(text + used, bytes + 1, form, arguments);
	used += bytes;
	text[used++] = '\n';
}

void say(const char *form, ...)
{
	va_list arguments;

	va_start(arguments, form);
	append(form, arguments);
	va_end(arguments);
}

void flush_output(void)
{
	write_output(text, used);
	used = 0;
}

void fail(const char *form, ...)
{
	char message[4096];
	va_list arguments;

	va_start(arguments, form);
	vsnprintf(message, sizeof(message), form, arguments);
	va_end(arguments);
	for (char *at = message; *at; at++)
		if (*at == '\n')
			*at = ' ';
	say("error %s", message);
	flush_output();
	leave(1);
	__builtin_unreachable();
}
