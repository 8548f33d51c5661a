// Handlers of operations about fleets.

import type { fleetOperations } from "@aos/protocol";
import { omitUndefined } from "../../omit-undefined.ts";
import { readFleetRequest } from "../read-fleet.ts";
import { labelOf } from "../read-spawn.ts";
import type { HandlersOf } from "./handler.ts";

export const fleetHandlers: HandlersOf<typeof fleetOperations> = {
  fleets: ({ kernel }, args) => kernel.fleets(omitUndefined(args)),
  fleet: ({ kernel }, { name, ...of }) => kernel.fleet(name, omitUndefined(of)),
  async applyFleet(gateway, { mustBeNew, ...args }, { caller }) {
    const { text, folders } = readFleetRequest(gateway, { ...args, name: "" }, caller);
    const request = { ...text, ...omitUndefined({ mustBeNew }) };
    return gateway.policy.admit(folders, () => gateway.kernel.applyFleet(request));
  },
  async rollFleet(gateway, args, { caller }) {
    const { text, folders } = readFleetRequest(gateway, args, caller);
    return gateway.policy.admit(folders, () => gateway.kernel.rollFleet(args.name, text));
  },
  scaleFleet: ({ kernel }, { name, ...how }, { caller }) =>
    kernel.scaleFleet(name, { by: caller.name, ...omitUndefined(how) }),
  decideFleetRoll: ({ kernel }, { name, decision, ...how }, { caller }) =>
    kernel.decideFleetRoll(name, { by: caller.name, decision, ...omitUndefined(how) }),
  pauseFleet: ({ kernel }, { name, ...how }, { caller }) =>
    kernel.pauseFleet(name, { by: caller.name, ...omitUndefined(how) }),
  drainFleet: ({ kernel }, { name, ...how }, { caller }) =>
    kernel.drainFleet(name, { by: caller.name, ...omitUndefined(how) }),
  resumeFleet: ({ kernel }, { name, ...how }, { caller }) =>
    kernel.resumeFleet(name, { by: caller.name, ...omitUndefined(how) }),
  async removeFleet({ kernel }, { name, ...how }, { caller }) {
    const removed = await kernel.removeFleet(name, { by: caller.name, ...omitUndefined(how) });
    return { name, ...removed };
  },
  sendFleetItem: ({ kernel }, { name, input, label, ...item }, { caller }) =>
    kernel.sendFleetItem(name, {
      by: caller.name,
      input,
      ...omitUndefined({ ...item, label: labelOf(label) }),
    }),
  fleetItems: ({ kernel }, { name, olderThan: before, ...page }) =>
    kernel.fleetItems(name, omitUndefined({ before, ...page })),
  fleetItem: ({ kernel }, { name, item, ...of }) =>
    kernel.fleetItem(name, { item, ...omitUndefined(of) }),
  retryFleetItem: ({ kernel }, { name, item, ...of }, { caller }) =>
    kernel.retryFleetItem(name, { by: caller.name, item, ...omitUndefined(of) }),
  fleetEvents: ({ kernel }, { name, olderThan: before, ...page }) =>
    kernel.fleetEvents(name, omitUndefined({ before, ...page })),
};
