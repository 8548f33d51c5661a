// Run reader: all that is read of runs and of what they left: why things happened, messages, memory, questions.

import type { CauseReader } from "./causes.ts";
import type { MailReader } from "./mail-reports.ts";
import type { MemoryReader } from "./memory-reports.ts";
import type { QuestionReader } from "./question-page.ts";

export interface RunReader extends CauseReader, MailReader, MemoryReader, QuestionReader {}
