// Program libraries: what of this installation a foreign program sees, to read: the clients of the syscall
// protocol for Python and TypeScript, and what the latter imports.

import { fileURLToPath } from "node:url";

const inInstallation = (path: string): string =>
  fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const programLibraries: readonly string[] = [
  "sdk",
  "protocol",
  "node_modules/@aos",
  "node_modules/zod",
].map(inInstallation);
