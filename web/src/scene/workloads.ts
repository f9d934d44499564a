/** Applications of a flow that the menu offers. */

interface Offer {
  name: string;
  label: string;
  /** For the engine. */
  engine: Record<string, unknown>;
  /** In an experiment file. */
  toml: string;
}

export const WORKLOADS: Offer[] = [
  { name: "bulk", label: "a download without end", engine: { kind: "bulk" }, toml: '"bulk"' },
  {
    name: "bytes",
    label: "one file of 1 MB",
    engine: { kind: "bytes", bytes: 1_000_000 },
    toml: '{ kind = "bytes", bytes = "1MB" }',
  },
  {
    name: "on_off",
    label: "2 s on, 2 s off",
    engine: { kind: "on_off", on_ns: 2e9, off_ns: 2e9 },
    toml: '{ kind = "on_off", on = "2s", off = "2s" }',
  },
  { name: "ping", label: "pings", engine: { kind: "ping" }, toml: '"ping"' },
  { name: "video", label: "a video", engine: { kind: "video" }, toml: '"video"' },
  { name: "call", label: "a video call", engine: { kind: "call" }, toml: '"call"' },
  { name: "web", label: "web pages", engine: { kind: "web" }, toml: '"web"' },
];

function offer(name: string): Offer {
  return WORKLOADS.find((one) => one.name === name) ?? WORKLOADS[0];
}

export function engineWorkload(name: string): Record<string, unknown> {
  return offer(name).engine;
}

/** Settings of the sender that come with an application: calls and pings send at once (TCP_NODELAY). */
export function engineSender(name: string): Record<string, unknown> {
  return name === "call" || name === "ping" ? { nagle: false } : {};
}

export function tomlWorkload(name: string): string {
  return offer(name).toml;
}
