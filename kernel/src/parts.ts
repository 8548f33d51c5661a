// Parts: internal modules of the kernel for the tests of this repository. Not a public interface: a name leaves this
// file when no test needs it.

export { digestOf } from "./journal/encoded-text.ts";
export { splitText } from "./journal/parts.ts";
export { parseRecord } from "./journal/record-text.ts";
export { infoOf, processDetailOf } from "./inspection/inspect.ts";
export { composeKernel } from "./operator/compose-kernel.ts";
export { pastRunOf } from "./inspection/past-run.ts";
export { lastEntries } from "./operator/ledger-methods.ts";
export { whenAborted } from "./operator/hold-open.ts";
export { powerOfProcess } from "./inspection/power.ts";
export { openVault } from "./secret/secret-store.ts";
export { STATE_SPAN } from "./operator/state-retention.ts";
export { newPlatform, SteadyClock, systemPlatform, type Platform } from "./platform/clock.ts";
export { ConditionView } from "./policy/condition-view.ts";
export { compileCondition } from "./policy-formats/conditions.ts";
export { compileLayer } from "./policy-formats/compile.ts";
export type { Subject } from "./policy/subject.ts";
export { localProgram } from "./process/local-program.ts";
