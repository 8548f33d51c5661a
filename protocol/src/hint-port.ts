// Hint port: what carries hints between the nodes of one database, where it is not the database itself. A hint names
// processes that have something to look at; the tables are the truth.
//
// HINT-PORT-1  A hint may be lost, repeated, late, or made up by whoever reaches the broker: it makes a node look, and
//     does nothing else.

export interface HintBroker {
  /** Whether what is told now is on its way to the others, as far as is known. */
  readonly isConnected: boolean;
  /** Nobody is told how it went. */
  tell(text: string): void;
  /** `missed` is called when hints may have been lost: after the connection was. */
  listen(onHint: (text: string) => void, missed: () => void): void;
  close(): Promise<void>;
}
