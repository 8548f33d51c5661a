// FormatTrust: the powers of a project folder, shown before it is trusted.
//
// SAY-TRUST-1  Names and texts of the folder are untrusted: each stays on its own line, and none can control the
//              terminal.

import type { TrustPreview } from "@aos/protocol";
import { printable } from "./printable.ts";

const STATES: Readonly<Record<TrustPreview["state"], string>> = {
  trusted: "is trusted as it is",
  changed: "has changed since it was trusted, and is ignored until it is trusted again",
  untrusted: "is not trusted",
  nothing: "contains nothing that needs trust",
};

export function formatTrustReport(look: TrustPreview): string {
  const { folder, state, powers, changes, problems, digest } = look;
  return [
    `${oneLine(folder)} ${STATES[state]}.`,
    ...section(
      "Changed:",
      changes.map(({ path, what }) => `${what.padEnd(8)}${oneLine(path)}`),
    ),
    ...section(
      "Trusting it would allow:",
      powers.flatMap(({ kind, name, detail }) => [
        `${kind} ${oneLine(name)}`,
        ...detail.map((line) => `    ${oneLine(line)}`),
      ]),
    ),
    ...section("It cannot be trusted in this state:", problems.map(oneLine)),
    ...(powers.length === 0 ? [] : [`digest ${digest}`]),
  ].join("\n");
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];

/** SAY-TRUST-1. */
const oneLine = (text: string): string =>
  printable(text.replaceAll(/[\n\t\u2028\u2029]/g, (odd) => JSON.stringify(odd).slice(1, -1)));
