// Config sources: every setting of a daemon with its value and source.
//
//   readSources({ layers, given })   from the files of settings, environment and flags
//   inForce(started, now)            of a running daemon: the settings at its start, and those reloaded since
//
// CONFIG-SOURCES-1  Every setting is listed with the source that wins: flag, environment, file, default.
// CONFIG-SOURCES-2  No secret is listed: neither a key nor the password in an address.

import type { Json, SettingReport, SettingSource } from "@aos/protocol";
import { checkConfigLayers, withOverrides } from "./config.ts";
import { configDefaults } from "./config-defaults.ts";
import type { ConfigOverrides, OverrideName } from "./config-overrides.ts";
import { isHot } from "./models/config-changes.ts";
import type { FieldPath } from "./format-issue.ts";
import { parseLayers, type YamlText } from "./yaml-layers.ts";

export interface Sources {
  /** The weakest first. */
  readonly layers: readonly YamlText[];
  readonly given: ConfigOverrides;
}

export function readSources({ layers, given }: Sources): SettingReport[] {
  const config = withOverrides(checkConfigLayers(layers), given);
  const { written, whereOf } = parseLayers(layers);
  const saidBy = whoSays(given);
  const setting = (name: string, value: Json, source: SettingSource, where: string | null) => ({
    name,
    value: withoutPassword(value),
    source,
    where,
    hot: isHot(name),
  });
  const settings = Object.entries(configDefaults).flatMap(([name, byDefault]) => {
    const path = name.split(".");
    const given = saidBy.get(name);
    const inFile = valueAt(written, path);
    if (given !== undefined)
      return [setting(name, valueAt(config, path) ?? byDefault, given.source, given.where)];
    if (inFile === undefined) return [setting(name, byDefault, "default", null)];
    return leavesOf(path, inFile).map((leaf) => {
      const { file, line } = whereOf(leaf.path);
      return setting(nameOf(leaf.path), leaf.value, "file", `${file}:${line}`);
    });
  });
  const key = given.secretKey;
  return [
    ...settings,
    key === undefined
      ? setting("secretKey", "the key file in the home", "default", null)
      : setting("secretKey", "not shown", key.source, key.where), // CONFIG-SOURCES-2
  ];
}

/** What counts without a restart is as it is now, all else as it was at the start. */
export function inForce(
  started: readonly SettingReport[],
  now: readonly SettingReport[],
): SettingReport[] {
  const cold = started.filter(({ hot }) => !hot);
  const later = new Map(now.map((setting) => [setting.name, setting]));
  const waiting = cold.map((setting) => {
    const next = later.get(setting.name)?.value ?? configDefaults[setting.name] ?? null;
    return JSON.stringify(next) === JSON.stringify(setting.value) ? setting : { ...setting, next };
  });
  const known = new Set(cold.map(({ name }) => name));
  const fresh = now
    .filter(({ name, hot }) => !hot && !known.has(name))
    .map(({ value: next, ...setting }) => ({ ...setting, value: null, next }));
  const all = [...waiting, ...fresh, ...now.filter(({ hot }) => hot)];
  return all.sort((a, b) => placeOf(a.name) - placeOf(b.name));
}

const places = Object.keys(configDefaults);

/** In the order of the settings; what is below one of them is where that is. */
const placeOf = (name: string): number =>
  places.findIndex(
    (known) => name === known || (/^[.[]/.test(name.slice(known.length)) && name.startsWith(known)),
  ) + 1 || Infinity;

/** A variable may decide more than one setting. */
function whoSays(given: ConfigOverrides): Map<string, NonNullable<ConfigOverrides[OverrideName]>> {
  const said = new Map<string, NonNullable<ConfigOverrides[OverrideName]>>();
  for (const [name, got] of Object.entries(given)) {
    const decided = name === "http" ? ["http.enabled", "http.host", "http.port"] : [name];
    for (const one of decided)
      if (got.value !== "off" || one === "http.enabled") said.set(one, got);
  }
  return said;
}

function valueAt(value: unknown, path: FieldPath): Json | undefined {
  let at = value;
  for (const step of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string | number, unknown>)[step];
  }
  return at as Json | undefined;
}

/** One for each thing that a person wrote in one place: lists of words are one, maps and lists of maps many. */
function leavesOf(path: FieldPath, value: Json): { path: FieldPath; value: Json }[] {
  if (Array.isArray(value) && value.every((item) => typeof item !== "object"))
    return [{ path, value }];
  if (typeof value !== "object" || value === null) return [{ path, value }];
  const inner = Array.isArray(value)
    ? value.map((item, nth) => [nth, item] as const)
    : Object.entries(value);
  if (inner.length === 0) return [{ path, value }];
  return inner.flatMap(([step, item]) => leavesOf([...path, step], item));
}

const nameOf = (path: FieldPath): string =>
  path
    .map((step, nth) => (typeof step === "number" ? `[${step}]` : nth === 0 ? step : `.${step}`))
    .join("");

/** CONFIG-SOURCES-2. */
function withoutPassword(value: Json): Json {
  if (typeof value !== "string") return value;
  return value.replace(/^([a-z]+:\/\/[^:@/\s]*):[^@/\s]*@/i, "$1:***@");
}
