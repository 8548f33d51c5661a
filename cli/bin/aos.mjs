// The first file that Node reads, and so plain JavaScript: a TypeScript one would have its types taken
// out before the cache of compiled code is there, which takes longer than all the rest.

process.getBuiltinModule("node:module").enableCompileCache();
await import("../src/main.ts");
