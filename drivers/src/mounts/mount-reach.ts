// Mount reach: what a connector may use without asking for more. What the operator declared in config.yaml is the
// operator's word; what a manifest declares gives nothing, and its process needs the grants itself.
//
// MOUNT-REACH-1  Only what lies within the declaration is covered, on the real path and on every hop. All else is
//     asked of the gate, as for a tool.
// MOUNT-REACH-2  A secret is never covered: `secret:NAME:use` is always needed.

import type { DeviceContext, Touch } from "@aos/protocol";

/** Whether a declaration covers a touch. */
export type Covers = (touch: Touch) => boolean;

export const coversNothing: Covers = () => false;

export const coversFiles =
  (root: string): Covers =>
  ({ kind, resource, verb }) =>
    kind === "file" &&
    (verb === "read" || verb === "list") &&
    (resource === root || resource.startsWith(root === "/" ? root : `${root}/`));

/** `resource` as the gate knows it: host:port/path. */
export const coversWeb =
  (resource: string): Covers =>
  (touch) =>
    touch.kind === "http" &&
    touch.verb === "get" &&
    (touch.resource === resource ||
      touch.resource.startsWith(resource.endsWith("/") ? resource : `${resource}/`));

/** The call's context with a shorter time, and with what is covered allowed (MOUNT-REACH-1). */
export function withinReach(
  context: DeviceContext,
  covers: Covers,
  timeoutMs: number,
): DeviceContext {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMs)]);
  return new Proxy(context, {
    get: (target, name) => {
      if (name === "signal") return signal;
      if (name === "authorize")
        return (touch: Touch) => {
          if (!covers(touch)) target.authorize(touch);
        };
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === "function" ? (value as () => unknown).bind(target) : value;
    },
  });
}
