import { defineConfig } from "vite";
import { fromSources, listOfFiles, uplotAsModule } from "./build/plugins.ts";

const at = (path: string) => new URL(path, import.meta.url).pathname;
/** The folder of fairlane.js and fairlane.wasm, which `make web` builds first. */
const ENGINE = process.env.FAIRLANE_ENGINE ?? at("../target/web");
const UPLOT = at("../python/fairlane/show/report/uplot");

export default defineConfig({
  base: "./",
  plugins: [uplotAsModule, fromSources, listOfFiles],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  resolve: {
    alias: [
      { find: /^fairlane-engine$/, replacement: `${ENGINE}/fairlane.js` },
      { find: /^fairlane-engine\//, replacement: `${ENGINE}/` },
      { find: /^uplot$/, replacement: `${UPLOT}/uPlot.iife.min.js` },
      { find: /^uplot\//, replacement: `${UPLOT}/` },
    ],
  },
  worker: { format: "es" },
  build: {
    outDir: at("../target/live"),
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the page's policy allows files of its own only
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { fs: { allow: [".."] } },
});
