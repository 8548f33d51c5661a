// K, second part: an intruder writes rows of authority into the database while the kernel is down. Rows are an index:
// authority that is neither in the signed ledger nor in the hash-chained records is not used.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isEnded, type Sys } from "@aos/protocol";
import type { Range } from "../range.ts";
import { paidTo, pay } from "./approvals.ts";
import { paid, PAY } from "./chains.ts";
import { readPage, TOOLS } from "./labels.ts";
import { codeOf, tried, type AttackRow } from "./row.ts";

const PROOF = "kernel/src/audit/proof.ts";
const TO_ALICE = `${PAY}{pin.to:"alice..."}`;

/** Stops the kernel, changes its database as an intruder would, and boots it again. */
const forge = (range: Range, sql: string): Promise<void> =>
  range.restart(() => {
    using database = new DatabaseSync(join(range.storeFolder, "aos.db"));
    database.exec(sql);
  });

/** Pays the recipient of each message until there is none. */
const payer = async (sys: Sys): Promise<void> => {
  for (;;) {
    const { body } = await sys.receive();
    if (body === "end") return;
    await pay(sys, body as string);
  }
};

const startPayer = async (range: Range, capabilities: string[] = []): Promise<string> => {
  const pid = await range.start(payer, { capabilities });
  await range.until(async () => (await range.kernel.show(pid)).waitingOn === "message", "the wait");
  return pid;
};

/** Sends the name, and waits until the process has ended or is held. */
async function payThrough(range: Range, pid: string, to: string): Promise<void> {
  await codeOf(range.kernel.send(pid, to));
  await codeOf(range.kernel.send(pid, "end"));
  await settled(range, pid);
}

const settled = (range: Range, pid: string): Promise<void> =>
  range.until(async () => {
    const { state, held } = await range.kernel.show(pid);
    return isEnded(state) || (held ?? null) !== null;
  }, "an end");

/** A process that was granted payments to Alice and has made one. */
async function grantedPayer(range: Range): Promise<{ pid: string; handle: string }> {
  const pid = await startPayer(range);
  const { handle } = await range.kernel.grant({ pid }, { by: "rita", capabilities: [TO_ALICE] });
  await range.kernel.send(pid, "alice...");
  await range.until(() => paidTo(range, "alice...") === 1, "the payment to Alice");
  return { pid, handle };
}

const toMallory = (range: Range) => {
  const times = paidTo(range, "mallory.");
  return tried(times > 0, `paid ${times} times to whom nobody meant`);
};

export const forgedRows: readonly AttackRow[] = [
  {
    id: "K14",
    name: "answer a question in the database, without a vote",
    stoppedBy: PROOF,
    mode: { isKept: true },
    run: async (range) => {
      range.person = "is silent";
      const script = async (sys: Sys) => {
        await readPage(sys);
        await pay(sys, "mallory."); // the shipped policy asks, also right after the next boot
      };
      const pid = await range.start(script, { capabilities: [TOOLS] });
      await range.question();
      await forge(
        range,
        "update question set answer = 'approve', answered_by = 'rita', answered_at = 5",
      );
      await settled(range, pid);
      return paid(range);
    },
  },
  {
    id: "K15",
    name: "widen a grant in the database",
    stoppedBy: PROOF,
    mode: { isKept: true },
    run: async (range) => {
      const { pid } = await grantedPayer(range);
      await forge(range, "update holding set blocks = replace(blocks, 'alice...', 'mallory.')");
      await payThrough(range, pid, "mallory.");
      return toMallory(range);
    },
  },
  {
    id: "K16",
    name: "restore a revoked grant in the database",
    stoppedBy: PROOF,
    mode: { isKept: true },
    run: async (range) => {
      const { pid, handle } = await grantedPayer(range);
      await range.kernel.revoke(handle, "rita");
      await forge(range, "update holding set state = 'held'; delete from block");
      await payThrough(range, pid, "alice...");
      return paid(range, 1);
    },
  },
  {
    id: "K17",
    name: "widen the initial block of a process in the database",
    stoppedBy: PROOF,
    mode: { isKept: true },
    run: async (range) => {
      const pid = await startPayer(range, [TO_ALICE]);
      await forge(range, "update process set spec = replace(spec, 'alice...', 'mallory.')");
      await payThrough(range, pid, "mallory.");
      return toMallory(range);
    },
  },
  {
    id: "K18",
    name: "insert a grant into the database",
    stoppedBy: PROOF,
    mode: { isKept: true },
    run: async (range) => {
      const [pid, other] = [await startPayer(range), await startPayer(range)];
      await range.kernel.grant({ pid: other }, { by: "rita", capabilities: [PAY] });
      await forge(
        range,
        `insert into holding select 'cap_invented', tenant, (select key from process where pid = '${pid}'),
          agent, 'new', blocks, given_by, given_at, expires_at, reason from holding`,
      );
      await payThrough(range, pid, "mallory.");
      return toMallory(range);
    },
  },
  {
    id: "K19",
    name: "widen a standing grant in the database",
    stoppedBy: PROOF,
    mode: { isKept: true },
    run: async (range) => {
      await range.kernel.grant({ agent: "attacker" }, { by: "rita", capabilities: [TO_ALICE] });
      await forge(range, "update holding set blocks = replace(blocks, 'alice...', 'mallory.')");
      await range.run(async (sys) => pay(sys, "mallory."));
      return toMallory(range);
    },
  },
];
