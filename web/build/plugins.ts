/** Modules that are read from the sources of Fairlane, so that nothing is listed twice. */

import { readFileSync, readdirSync } from "node:fs";
import type { Plugin } from "vite";

const ROOT = new URL("../../", import.meta.url).pathname;
const read = (path: string) => readFileSync(ROOT + path, "utf8");

/** uPlot is vendored once, for reports, as a script that declares a variable; here it is a module. */
export const uplotAsModule: Plugin = {
  name: "uplot-as-module",
  transform: (code, id) => (id.endsWith("uPlot.iife.min.js") ? `${code}\nexport default uPlot;` : undefined),
};

/** The comments of the members of the algorithms' memories, and the names of their modes. */
function explanations(): string {
  const members: Record<string, Record<string, string>> = {};
  const modes: Record<string, string[]> = {};
  for (const file of readdirSync(`${ROOT}algorithms`).filter((one) => one.endsWith(".c"))) {
    const name = file.replace(".c", "");
    const text = withShared(read(`algorithms/${file}`), new Set());
    const found: [string, string][] = [];
    for (const struct of text.matchAll(/^struct \w+ \{\n([\s\S]*?)^\};/gm)) {
      for (const line of struct[1].matchAll(
        /^\t(?:const )?(?:struct )?\w+ (\w+)(?:\[\w+\])?(?: : \d+)?;\s*(?:\/\*\s*(.*?)\s*\*\/)?$/gm,
      )) {
        found.push([line[1], line[2] ?? ""]);
      }
    }
    members[name] = Object.fromEntries(found);
    const mode = /^enum mode \{([^}]*)\}/m.exec(text);
    if (mode)
      modes[name] = mode[1]
        .split(",")
        .map((one) => one.trim())
        .filter(Boolean);
  }
  return `export const members = ${JSON.stringify(members)};\nexport const modes = ${JSON.stringify(modes)};`;
}

function withShared(text: string, seen: Set<string>): string {
  return text.replace(/^#include "((?:shared\/)?[\w/]+\.h)"$/gm, (line, path: string) => {
    const candidates = [path, `shared/${path}`, `shared/bbr_v1/${path}`, `shared/bbr_v3/${path}`];
    for (const candidate of candidates) {
      if (seen.has(candidate)) return "";
      try {
        const inner = read(`algorithms/${candidate}`);
        seen.add(candidate);
        return withShared(inner, seen);
      } catch {
        // The next folder has it.
      }
    }
    return line;
  });
}

export const fromSources: Plugin = {
  name: "from-sources",
  resolveId: (id) => (id.startsWith("virtual:") ? `\0${id}` : undefined),
  load(id) {
    if (id === "\0virtual:explanations") return explanations();
  },
};

/** Names of all files of the page, for public/offline.js. */
export const listOfFiles: Plugin = {
  name: "list-of-files",
  generateBundle(_, bundle) {
    const names = Object.keys(bundle).filter((name) => name !== "index.html");
    const source = JSON.stringify(["./", "theme.js", "fairlane.svg", ...names]);
    this.emitFile({ type: "asset", fileName: "files.json", source });
  },
};
