import type { OpenApiDocument } from '../../../../testkit/src/openapi.ts';
import type { Schema } from '../../../../testkit/src/schema-values.ts';

/** The form in which the service reads a value: trimmed, in NFC, and without optional fields that are `null`. */
export function normalForm(value: unknown, given: Schema, document: OpenApiDocument): unknown {
  const schema: Schema = document.schemaOf(given);
  const [only, ...others] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  if (only !== undefined && others.length === 0) return normalForm(value, only, document);
  if (typeof value === 'string') return normalText(value, schema);
  // The service reads -0 as 0.
  if (value === 0) return 0;
  if (Array.isArray(value)) return value.map((element) => normalForm(element, schema.items ?? {}, document));
  if (typeof value !== 'object' || value === null) return value;
  return normalObject(value, schema, document);
}

function normalObject(value: object, schema: Schema, document: OpenApiDocument): unknown {
  const { properties, required, additionalProperties } = schema;
  const entries = Object.entries(value);
  if (properties === undefined) {
    const member = typeof additionalProperties === 'object' ? additionalProperties : {};
    // Metadata values keep surrounding whitespace.
    return fromEntries(
      entries.map(([name, each]) => [
        name.normalize().trim(),
        typeof each === 'string' ? each.normalize() : normalForm(each, member, document),
      ]),
    );
  }
  // The schema of a patch has no `required`. There, `null` is kept, because it removes a field.
  const isLeftOut = (name: string) => Object.hasOwn(properties, name) && required?.includes(name) === false;
  const given = entries.filter(([name, each]) => each !== null || !isLeftOut(name));
  return fromEntries(
    given.map(([name, each]) => [
      name,
      normalForm(each, (Object.hasOwn(properties, name) && properties[name]) || {}, document),
    ]),
  );
}

/** Codes and enum values stay as they are. Passwords keep surrounding whitespace. */
function normalText(value: string, { enum: choices, pattern, format }: Schema): string {
  if (choices !== undefined || (pattern !== undefined && !pattern.includes('://'))) return value;
  return format === 'password' ? value.normalize() : value.normalize().trim();
}

/** Creates an object from its entries. An entry with the name `__proto__` becomes an ordinary member. */
function fromEntries(entries: [string, unknown][]): object {
  const value = {};
  for (const [name, member] of entries) {
    Object.defineProperty(value, name, { value: member, enumerable: true, configurable: true, writable: true });
  }
  return value;
}

/** Fields, and the error codes that they can have because of rules that the document states in prose. */
const FURTHER: [field: RegExp, codes: RegExp][] = [
  [
    /^(address|unitNumber|city|stateOrProvince|postalCode|description|externalId|name|search)$/,
    /^(blank|invalid_format)$/,
  ],
  [/^photos\[\d+\]\.(url|caption)$/, /^(blank|invalid_format)$/],
  [/^metadata$/, /^too_long$/],
  [/^metadata\..*/s, /^(blank|invalid_format|duplicate|too_long|out_of_range)$/],
  [/^(country|currency)$/, /^invalid_choice$/],
  [
    /^(listPrice|closePrice|livingArea|lotSizeArea|latitude|longitude)$/,
    /^(invalid_format|inconsistent|out_of_range)$/,
  ],
  [/^(beds|baths|yearBuilt)$/, /^out_of_range$/],
  [/^externalId$/, /^inconsistent$/],
  [/^(password|newPassword)$/, /^(out_of_range|invalid_choice|blank)$/],
  [/^(email|url)$/, /^invalid_format$/],
  [/^map\..*/s, /^(invalid_choice|invalid_format|read_only|duplicate|blank|too_long)$/],
  [/^(values|defaults)\..*/s, /^(invalid_choice|invalid_format|invalid_type|duplicate|blank|too_long)$/],
  [/^dates$/, /^inconsistent$/],
  [/^expiresAt$/, /^(out_of_range|invalid_format)$/],
];

/** Finds the first error that neither the schema nor a rule in prose explains. */
export function unexplainedFault(details: readonly { field: string; code: string }[]) {
  return details.find(({ field, code }) => !FURTHER.some(([name, codes]) => name.test(field) && codes.test(code)));
}

/** Parameters whose values the document describes in prose. */
const IN_WORDS = /^(bbox|near|radius|q|cursor|epoch|(created|updated)At\[.*|at\[.*)$/;

export type Verdict = 'valid' | 'invalid' | 'unknown';

export function judgeParameter(name: string, text: string, given: Schema, document: OpenApiDocument): Verdict {
  // Each of several values is a separate parameter.
  if (name.endsWith('[]')) return judgeParameter(name.slice(0, -2), text, given.items ?? {}, document);
  const value = readParameter(text, given);
  if (text === '' || value === undefined || !document.matches(normalForm(value, given, document), given))
    return 'invalid';
  if (IN_WORDS.test(name)) return 'unknown';
  // The document describes in prose which strings are valid.
  return typeof value === 'string' && given.enum === undefined && !isPlain(value) ? 'unknown' : 'valid';
}

function isPlain(value: string): boolean {
  return value.trim() !== '' && !/[\p{Cc}\ud800-\udfff]/u.test(value) && !/^\.\.?$/.test(value.trim());
}

function readParameter(text: string, { type, items }: Schema): unknown {
  if (type === 'array' && items?.type === 'integer') return text.split(',').map((part) => readParameter(part, items));
  if (type === 'array') return text.split(',');
  if (type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : undefined;
  if (type === 'number') return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
  if (type === 'boolean') return { true: true, false: false }[text];
  return text;
}
