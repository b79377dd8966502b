/** The part of Deno's types that the example uses, for type checks without Deno. */
declare const Deno: { env: { get(name: string): string | undefined } };
