/* The agent as the first process of a guest: mounts, modules, and the ports by which it talks to QEMU.
 *
 * The plan comes through QEMU's fw_cfg device and results leave through its debug port, both by port instructions:
 * unlike an interrupt from outside, these take place at the same instruction in every run.
 */
#define _GNU_SOURCE
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FW_CFG_SELECTOR 0x510
#define FW_CFG_DATA 0x511
#define FW_CFG_DIRECTORY 0x19
#define DEBUG_PORT 0xe9
#define EXIT_PORT 0xf4
#define LOCAL_APIC 0xfee00000
#define DIVIDE_CONFIGURATION (0x3e0 / 4)

static void to_debug_port(const char *text, uint64_t bytes)
{
	outsb(DEBUG_PORT, text, bytes);
}

/* An empty line of the results: one instruction, in every run at the same time. */
static void write_empty_line(void)
{
	outb('\n', DEBUG_PORT);
}

static noreturn void end_guest(int status)
{
	for (;;)
		outl(status, EXIT_PORT);
}

static void load_modules(void)
{
	char path[256];
	FILE *list = fopen("/modules", "r");

	while (list && fgets(path, sizeof(path), list)) {
		int descriptor;

		path[strcspn(path, "\n")] = 0;
		descriptor = open(path, O_RDONLY | O_CLOEXEC);
		if (syscall(SYS_finit_module, descriptor, "", 0) < 0 && errno != EEXIST)
			fail("%s: %s", path, strerror(errno));
		close(descriptor);
	}
	if (list)
		fclose(list);
}

/* The description of the kernel's types, by which programs are fitted to it. */
static void write_types(void)
{
	static char block[1 << 16];
	int descriptor = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
	ssize_t bytes;

	while (descriptor >= 0 && (bytes = read(descriptor, block, sizeof(block))) > 0)
		to_debug_port(block, bytes);
	close(descriptor);
}

/* The addresses of the symbols that the kernel's command line names, as lines of /proc/kallsyms; then an empty line.
 * By them QEMU's debugger tells a kernel how fast its timer runs. */
static void write_addresses(void)
{
	char line[256], word[203] = ",", wanted[256];
	FILE *symbols = fopen("/proc/kallsyms", "r");

	snprintf(wanted, sizeof(wanted), ",%s,", getenv("symbols") ? getenv("symbols") : "");
	while (symbols && fgets(line, sizeof(line), symbols))
		if (sscanf(line, "%*s %*s %199s", word + 1) == 1 && strstr(wanted, strcat(word, ",")))
			to_debug_port(line, strlen(line));
	if (symbols)
		fclose(symbols);
	write_empty_line();
}

/* Makes the local timer slower than the kernel set it up: the factor by which the kernel converts nanoseconds has no
 * room for the speeds that need this. The kernel sets the divisor only when it changes the timer's mode, which it has
 * done by now.
 */
static void slow_timer_down(const char *divisor)
{
	int memory = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
	volatile uint32_t *registers =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, LOCAL_APIC);

	if (registers == MAP_FAILED)
		fail("the local timer cannot be slowed down: /dev/mem: %s", strerror(errno));
	registers[DIVIDE_CONFIGURATION] = strtoul(divisor, NULL, 0);
	munmap((void *)registers, 4096);
	close(memory);
}

/* QEMU stops here, by a breakpoint, and keeps the guest's memory: runs continue from this instruction. */
__attribute__((noinline)) void snapshot_is_taken_here(void)
{
	__asm__ volatile("nop" ::: "memory");
}

void boot(void)
{
	iopl(3);
	write_output = to_debug_port;
	show_life = write_empty_line;
	leave = end_guest;
	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mkdir("/dev", 0755);
	mkdir("/tmp", 0777);
	mkdir("/run", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("dev", "/dev", "devtmpfs", 0, NULL);
	mount("run", "/run", "tmpfs", 0, NULL);
	mkdir("/var", 0755);
	symlink("/run", "/var/run");
	setenv("PATH", "/bin", 1);
	load_modules();
	write_setting("-", "/proc/sys/vm/panic_on_oom", "1");
	write_setting("-", "/proc/sys/kernel/panic_on_oops", "1");
	if (getenv("timer_divisor"))
		slow_timer_down(getenv("timer_divisor"));
	write_addresses();
	write_types();
	snapshot_is_taken_here();
}

static void read_bytes(void *to, uint64_t bytes)
{
	insb(FW_CFG_DATA, to, bytes);
	__asm__ volatile("" : : "r"(to) : "memory");
}

char *guest_plan(uint64_t *bytes)
{
	struct {
		uint32_t size;
		uint16_t selector, reserved;
		char name[56];
	} file;
	uint32_t count = 0;

	outw(FW_CFG_DIRECTORY, FW_CFG_SELECTOR);
	read_bytes(&count, sizeof(count));
	for (count = __builtin_bswap32(count); count > 0; count--) {
		read_bytes(&file, sizeof(file));
		if (!strcmp(file.name, "opt/fairlane/plan")) {
			char *plan;

			*bytes = __builtin_bswap32(file.size);
			plan = malloc(*bytes + 1);
			outw(__builtin_bswap16(file.selector), FW_CFG_SELECTOR);
			read_bytes(plan, *bytes);
			plan[*bytes] = 0;
			return plan;
		}
	}
	fail("QEMU gave no plan");
}
