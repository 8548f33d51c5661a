// What is different between two readings of the configuration: what counts from now on, and what waits
// for the next start.

import type { ModelConfig } from "../model-config.ts";

export interface ConfigChanges {
  /** In force now. */
  readonly made: readonly string[];
  /** The settings that are read only when the daemon starts. */
  readonly waiting: readonly string[];
}

/** What the slot scheduler reads at every request. */
const hotSettings = ["tenants", "queue"] as const;
const hotSections = new Set(["providers", "models", "scheduler", "tenants", "log"]);

/** Whether a change of a setting counts without a restart. */
export const isHot = (name: string): boolean =>
  /^(providers|models|tenants|scheduler\.(tenants|queue)|log\.level)($|[.[])/.test(name);

type Known = ModelConfig & {
  readonly log?: { readonly level: string; readonly format: string };
  readonly tenants?: object;
};

export function changesBetween(before: Known, after: Known): ConfigChanges {
  return {
    made: [
      ...changesOf("provider", before.providers, after.providers),
      ...changesOf("model", before.models, after.models),
      ...changesOf("tenant", before.tenants ?? {}, after.tenants ?? {}),
      ...hotSettings.flatMap((name) =>
        isSame(before.scheduler[name], after.scheduler[name]) ? [] : [`scheduler.${name} changed`],
      ),
      ...(before.log?.level === after.log?.level ? [] : [`log.level is ${after.log?.level}`]),
    ],
    waiting: [
      ...keysOf(before.scheduler, after.scheduler)
        .filter((name) => !(hotSettings as readonly string[]).includes(name))
        .filter((name) => !isSame(member(before.scheduler, name), member(after.scheduler, name)))
        .map((name) => `scheduler.${name}`),
      ...keysOf(before, after)
        .filter((name) => !hotSections.has(name))
        .filter((name) => !isSame(member(before, name), member(after, name))),
      ...(before.log?.format === after.log?.format ? [] : ["log.format"]),
    ],
  };
}

function changesOf(what: string, before: object, after: object): string[] {
  return keysOf(before, after).flatMap((name) => {
    const [was, is] = [member(before, name), member(after, name)];
    if (isSame(was, is)) return [];
    const how = was === undefined ? "was added" : is === undefined ? "was removed" : "changed";
    return [`${what} ${name} ${how}`];
  });
}

const keysOf = (before: object, after: object): string[] => [
  ...new Set([...Object.keys(before), ...Object.keys(after)]),
];

const member = (object: object, name: string): unknown =>
  Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined;

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
