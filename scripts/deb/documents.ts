// Documents of the Debian package: its copyright file, and its changelog from CHANGELOG.md.

import type { InstalledPackage } from "./dependencies.ts";

export const MAINTAINER = "Agent OS maintainers <maintainers@agent-os.example.org>";

/** Releases as Debian writes them, newest first. */
export function debianChangelog(markdown: string): string {
  const releases = markdown.split(/^## /m).slice(1);
  return releases
    .flatMap((release) => {
      const [, version, date] = /^\[([\d.]+)\] - (\d{4}-\d{2}-\d{2})/.exec(release) ?? [];
      if (version === undefined || date === undefined) return [];
      const items = [...release.matchAll(/^- (.*)$/gm)].map(([, text]) =>
        wrapped(text!.replaceAll(/[`*]/g, "").replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")),
      );
      return [
        `agent-os (${version}) stable; urgency=medium\n\n${items.join("\n")}\n\n -- ${MAINTAINER}  ${stamp(date)}\n`,
      ];
    })
    .join("\n");
}

/** The day of the newest release, in seconds since 1970: the time of every file. */
export function releaseTime(markdown: string): number {
  const day = /^## \[[\d.]+\] - (\d{4}-\d{2}-\d{2})/m.exec(markdown)?.[1];
  if (day === undefined) throw new Error("CHANGELOG.md has no release with a date");
  return Date.parse(`${day}T00:00:00Z`) / 1000;
}

function stamp(day: string): string {
  return new Date(`${day}T00:00:00Z`).toUTCString().replace("GMT", "+0000");
}

function wrapped(text: string): string {
  const lines: string[] = [];
  let line = "  *";
  for (const word of text.split(" ")) {
    if (line.length + 1 + word.length > 78) {
      lines.push(line);
      line = "   ";
    }
    line += ` ${word}`;
  }
  return [...lines, line].join("\n");
}

/** Who made what is inside, in Debian's machine-readable form. */
export function copyrightText(packages: readonly InstalledPackage[], version: string): string {
  const others = packages.map(
    ({ name, version: theirs, license, place }) =>
      `Files: usr/lib/agent-os/${place}/*\nCopyright: the authors of ${name} ${theirs}; see the licence file in that folder\nLicense: ${license.replaceAll(/[()]/g, "").replaceAll(" OR ", " or ")}\n`,
  );
  const licences = [...new Set(packages.map(({ license }) => license))]
    .filter((license) => license !== "Apache-2.0")
    .toSorted()
    .map(
      (license) =>
        `License: ${license.replaceAll(/[()]/g, "").replaceAll(" OR ", " or ")}\n The text is in the licence file of each package that has it, below\n /usr/lib/agent-os.\n`,
    );
  return [
    `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Agent OS\nComment: version ${version}, with the packages of others that it runs with\n`,
    "Files: *\nCopyright: 2026 the authors of Agent OS\nLicense: Apache-2.0\n",
    "Files: usr/lib/agent-os/node_modules/node-linux-*/*\nCopyright: the authors of Node.js; see the LICENSE file in that folder\nLicense: MIT\n",
    ...others,
    "License: Apache-2.0\n On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.\n",
    ...licences,
  ].join("\n");
}
