/* Registers the congestion control of a BPF object: struct_ops OBJECT TABLE PROGRAMS HZ [hold]
 *
 * TABLE is the variable with the callbacks, PROGRAMS their functions with commas between; other tables and programs of
 * the object are left out. With `hold`, it is registered until this program ends, by a link (Linux 6.4); otherwise for
 * good.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* BPF_F_LINK and BPF_STRUCT_OPS, which older headers lack. */
#define HELD_BY_LINK (1U << 13)
#define STRUCT_OPS_LINK 44

static int is_in(const char *name, const char *list)
{
	size_t length = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += length)
		if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == 0))
			return 1;
	return 0;
}

int main(int count, char **arguments)
{
	LIBBPF_OPTS(bpf_object_open_opts, options);
	char configuration[64];
	struct bpf_program *program;
	struct bpf_object *object;
	struct bpf_link *link;
	struct bpf_map *map;

	int holds = count == 6 && !strcmp(arguments[5], "hold");

	if (count != 5 && !holds)
		return 2;
	snprintf(configuration, sizeof(configuration), "CONFIG_HZ=%s\n", arguments[4]);
	options.kconfig = configuration;
	options.object_name = "fairlane";
	object = bpf_object__open_file(arguments[1], &options);
	if (!object)
		return 1;
	bpf_object__for_each_program(program, object)
		if (!is_in(bpf_program__name(program), arguments[3]))
			bpf_program__set_autoload(program, 0);
	bpf_object__for_each_map(map, object)
		if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS && strcmp(bpf_map__name(map), arguments[2]))
			bpf_map__set_autocreate(map, 0);
	map = bpf_object__find_map_by_name(object, arguments[2]);
	if (!map || (holds && bpf_map__set_map_flags(map, bpf_map__map_flags(map) | HELD_BY_LINK) < 0))
		return 1;
	if (bpf_object__load(object) < 0)
		return 1;
	link = bpf_map__attach_struct_ops(map);
	if (!link)
		return 1;
	if (holds) {
		/* Before version 1.2 libbpf only hands over the table. */
		int is_old = libbpf_major_version() == 1 && libbpf_minor_version() < 2;

		if (is_old && bpf_link_create(bpf_map__fd(map), 0, STRUCT_OPS_LINK, NULL) < 0)
			return 1;
		puts("ready");
		fflush(stdout);
		for (;;)
			pause();
	}
	/* Otherwise the end of this process would unregister it. */
	bpf_link__disconnect(link);
	return 0;
}
