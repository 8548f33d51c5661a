// Program libraries: the parts of this installation that a program in its own process can read: the protocol clients
// for Python and TypeScript. It imports them as `agent-os/sdk`, wherever its file is (sdk/src/client-resolution.mjs).

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const inInstallation = (path: string): URL => new URL(`../../${path}`, import.meta.url);

export const programLibraries: readonly string[] = [
  ...["sdk", "protocol", "node_modules/@aos", "package.json"].map((path) =>
    fileURLToPath(inInstallation(path)),
  ),
  dirname(fileURLToPath(import.meta.resolve("zod"))),
];

export const programEnvironment: Readonly<Record<string, string>> = {
  NODE_OPTIONS: `--import=${inInstallation("sdk/src/client-resolution.mjs").href}`,
};
