// Waits for the end of an item of a fleet: by looking, more and more seldom.

import { exitCodes } from "@aos/protocol/words";
import type { CommandCall } from "./command.ts";
import { fleetTenant } from "./fleet-draft.ts";
import { itemText } from "./format-fleet.ts";
import { printable } from "./printable.ts";

const FIRST_MS = 100;
const LONGEST_MS = 2000;

interface Wanted {
  readonly name: string;
  readonly item: string;
  readonly timeoutMs?: number;
}

/** Prints its output; the exit code says whether it is done. */
export async function waitForItem(
  call: CommandCall,
  { name, item: id, timeoutMs = Infinity }: Wanted,
): Promise<number> {
  const { client, out } = call;
  const since = Date.now();
  for (let restMs = FIRST_MS; ; restMs = Math.min(restMs * 2, LONGEST_MS)) {
    const item = await client.fleetItem({ name, item: id, ...fleetTenant(call) });
    const isOver = item.state === "done" || item.state === "dead";
    const leftMs = since + timeoutMs - Date.now();
    if (isOver || leftMs <= 0) {
      await out.data(item, () => (item.state === "done" ? itemText(item) : ""));
      if (item.state !== "done") out.note(printable(itemText(item)));
      if (!isOver) return exitCodes.timeout;
      return item.state === "done" ? exitCodes.success : exitCodes.failed;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, Math.min(restMs, leftMs));
    });
  }
}
