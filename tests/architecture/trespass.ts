// Trespass: what is wrong in a file, by each of the rules. Every rule is a function from files to
// lines like `kernel/src/bus/mailbox.ts:6: …`, so that a test can give it a file that it made up.

import { posix } from "node:path";
import {
  chanceElsewhere,
  driverLayers,
  emptyNames,
  importsOfOthers,
  kernelFiles,
  kernelLayers,
  MAX_LINES,
  rooms,
  sqlElsewhere,
  strangeWords,
} from "./import-map.ts";
import { codeLines, isTest, isTypeScript, type SourceFile } from "./source-files.ts";

export type Rule = (files: readonly SourceFile[]) => string[];

export interface Import {
  readonly line: number;
  /** As it is written. */
  readonly from: string;
  /** The file or package it leads to: a path from the top of the repository, or a package's name. */
  readonly to: string;
  /** By `import()`, when the code around it runs. */
  readonly isOnDemand: boolean;
}

const SPECIFIER = /\b(?:from|import|require)\s*(\(?)\s*["']([^"']+)["']/g;

export function importsOf(file: SourceFile): Import[] {
  return codeLines(file).flatMap(([line, text]) =>
    [...text.matchAll(SPECIFIER)].map(([, bracket, from]) => ({
      line,
      isOnDemand: bracket !== "",
      from: from!,
      to: from!.startsWith(".") ? posix.join(posix.dirname(file.path), from!) : from!,
    })),
  );
}

const roomOf = (path: string): string => path.split("/", 1)[0]!;

/** The room that an import leads to, by a relative path or by its package's name. */
function targetRoom({ from, to }: Import): string | undefined {
  if (from.startsWith("@aos/")) return from.split("/")[1];
  return from.startsWith(".") ? roomOf(to) : undefined;
}

const inRooms = (files: readonly SourceFile[]) =>
  files.filter(
    (file) => isTypeScript(file) && !isTest(file) && Object.hasOwn(rooms, roomOf(file.path)),
  );

export const roomTrespasses: Rule = (files) =>
  inRooms(files).flatMap((file) => {
    const room = roomOf(file.path);
    const { rooms: always, onDemand = [], notFromNode } = rooms[room]!;
    return importsOf(file).flatMap((one) => {
      const target = targetRoom(one);
      const allowed = one.isOnDemand ? [...always, ...onDemand] : always;
      if (target !== undefined && target !== room && !allowed.includes(target))
        return [`${file.path}:${one.line}: ${room} must not import ${target} ("${one.from}")`];
      const builtIn = /^node:([a-z_0-9]+)/.exec(one.from)?.[1];
      if (builtIn !== undefined && (notFromNode === "all" || notFromNode.includes(builtIn)))
        return [`${file.path}:${one.line}: ${room} must not import ${one.from}`];
      return [];
    });
  });

/** What a package.json of a room declares must be on the map, too. */
export function declaredTrespasses(
  declared: Readonly<Record<string, readonly string[]>>,
): string[] {
  return Object.entries(declared).flatMap(([room, names]) =>
    names
      .filter((name) => name.startsWith("@aos/") && !rooms[room]!.rooms.includes(name.slice(5)))
      .map((name) => `${room}/package.json: ${room} must not depend on ${name}`),
  );
}

/** An import whose path is worked out when it runs could lead anywhere. */
export const hiddenImports: Rule = (files) =>
  inRooms(files)
    .filter(({ path }) => !isListed(importsOfOthers, path))
    .flatMap((file) =>
      codeLines(file)
        .filter(([, text]) => /\bimport\s*\(\s*[^"')\s]/.test(text))
        .map(([line]) => `${file.path}:${line}: an import must name what it imports`),
    );

const KERNEL = "kernel/src/";

export const layerTrespasses: Rule = (files) =>
  files
    .filter((file) => file.path.startsWith(KERNEL) && isTypeScript(file) && !isTest(file))
    .flatMap((file) => {
      const here = placeInKernel(file.path);
      if (here.layer === undefined && !Object.hasOwn(kernelFiles, here.name))
        return [`${file.path}:1: the kernel has no layer "${here.name.split("/")[0]}"`];
      return importsOf(file)
        .filter(({ to }) => to.startsWith(KERNEL))
        .filter(({ to }) => !mayImport(here, placeInKernel(to)))
        .map(
          ({ line, to }) =>
            `${file.path}:${line}: ${here.layer ?? here.name} must not import ${placeInKernel(to).layer ?? to}`,
        );
    });

interface Place {
  readonly name: string;
  readonly layer: string | undefined;
}

function placeInKernel(path: string): Place {
  const name = path.slice(KERNEL.length);
  const folder = name.includes("/") ? name.split("/", 1)[0]! : "";
  return { name, layer: kernelLayers.includes(folder) ? folder : undefined };
}

function mayImport(here: Place, there: Place): boolean {
  if (there.layer === undefined) return kernelFiles[there.name]?.importedBy === "all";
  if (here.layer === undefined) return kernelFiles[here.name]!.mayImport.includes(there.layer);
  return kernelLayers.indexOf(there.layer) >= kernelLayers.indexOf(here.layer);
}

/** drivers/src/tools, sandbox, web, …: each knows only those below it. */
export const driverTrespasses: Rule = (files) =>
  files
    .filter((file) => /^drivers\/src\/[^/]+\//.test(file.path) && !isTest(file))
    .flatMap((file) => {
      const folder = file.path.split("/")[2]!;
      return importsOf(file)
        .filter(({ from, to }) => from.startsWith(".") && !isBelow(folder, to.split("/")[2]!))
        .map(({ line, from }) => `${file.path}:${line}: ${folder} must not import ("${from}")`);
    });

function isBelow(folder: string, other: string): boolean {
  const [at, below] = [driverLayers.indexOf(folder), driverLayers.indexOf(other)];
  return folder === other || (at >= 0 && below > at);
}

const SQL =
  /\b(select\s[^"'`]*\sfrom\s|insert\s+into\s|delete\s+from\s|update\s+\w+\s+set\s|create\s+(table|index|temp)\s|drop\s+table\s|pragma\s+\w|begin\s+(immediate|exclusive)\b)/i;
const DATABASES = new Set(["node:sqlite", "pg"]);

export const sqlTrespasses: Rule = (files) =>
  inRooms(files)
    .filter(({ path }) => !path.startsWith("kernel/src/store/") && !isListed(sqlElsewhere, path))
    .flatMap((file) => [
      ...codeLines(file)
        .filter(([, text]) => SQL.test(text))
        .map(([line]) => `${file.path}:${line}: only kernel/src/store has SQL`),
      ...importsOf(file)
        .filter(({ from }) => DATABASES.has(from))
        .map(({ line, from }) => `${file.path}:${line}: only kernel/src/store opens ${from}`),
    ]);

const CHANCE =
  /\b(Date\.now|performance\.now|process\.hrtime|Math\.random|randomBytes|randomUUID|randomInt|getRandomValues|generateKeyPair\w*)\b|\bnew Date\(\)/;

export const chanceTrespasses: Rule = (files) =>
  files
    .filter((file) => file.path.startsWith(KERNEL) && isTypeScript(file) && !isTest(file))
    .filter(
      ({ path }) => !path.startsWith(`${KERNEL}platform/`) && !isListed(chanceElsewhere, path),
    )
    .flatMap((file) =>
      codeLines(file)
        .filter(([, text]) => CHANCE.test(text))
        .map(([line]) => `${file.path}:${line}: only kernel/src/platform knows time and chance`),
    );

/** A table that a script writes has as many lines as it has rows. */
const isWritten = ({ lines }: SourceFile): boolean =>
  lines[0]?.startsWith("// Written by `npm run routes`") === true;

export const lengthTrespasses: Rule = (files) =>
  files
    .filter((file) => !isWritten(file))
    .filter((file) => /\.(m?ts|mjs|py)$/.test(file.path) && !file.path.startsWith("bench/peers/"))
    .filter(({ lines }) => lines.length > MAX_LINES)
    .map(
      ({ path, lines }) =>
        `${path}:${MAX_LINES + 1}: ${lines.length} lines; the most is ${MAX_LINES}`,
    );

export const nameTrespasses: Rule = (files) =>
  files
    .filter(({ path }) => {
      const stem = posix.basename(path).split(".", 1)[0]!.toLowerCase();
      return emptyNames.some((name) => stem === name || stem.endsWith(`-${name}`));
    })
    .map(({ path }) => `${path}:1: the name does not say what is in it`);

export const wordTrespasses: Rule = (files) =>
  files.flatMap((file) =>
    file.lines.flatMap((text, index) =>
      strangeWords
        .map((halves) => halves.join(""))
        .filter((word) => text.toLowerCase().includes(word))
        .map(
          (word) =>
            `${file.path}:${index + 1}: "${word}" is of one machine, not of this repository`,
        ),
    ),
  );

const isListed = (exceptions: readonly { readonly file: string }[], path: string): boolean =>
  exceptions.some(({ file }) => file === path);
