declare module "html-to-text" {
  interface Builder {
    openBlock(options: { leadingLineBreaks: number }): void;
    closeBlock(options: { trailingLineBreaks: number }): void;
    addInline(text: string, options?: { noWordTransform?: boolean }): void;
  }
  type Formatter = (
    element: { children: unknown },
    walk: (children: unknown, builder: Builder) => void,
    builder: Builder,
    options: object,
  ) => void;
  export function convert(
    html: string,
    options: {
      wordwrap: number | false;
      limits: object;
      selectors: readonly object[];
      formatters: Record<string, Formatter>;
    },
  ): string;
}
