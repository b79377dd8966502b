// Writes src/constants.ts from the OpenAPI document; with --check, fails if the file is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Schema {
  type?: string;
  enum?: string[];
  items?: Schema;
}

interface Document {
  components: {
    schemas: {
      Listing: { properties: object };
      ListingInput: { properties: Record<string, Schema>; required: string[] };
    };
  };
  paths: { '/listings': { get: { parameters: { name?: string; schema?: Schema }[] } } };
}

const FILE = join(import.meta.dirname, '../src/constants.ts');
const { components, paths }: Document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../openapi/openapi.json'), 'utf8'),
);
const { properties, required } = components.schemas.ListingInput;
const parameters = new Map(paths['/listings'].get.parameters.map(({ name = '', schema = {} }) => [name, schema]));
const parameterNames = [...parameters.keys()];

const fieldsOfType = (wanted: string) =>
  Object.entries(properties).flatMap(([name, { type }]) => (type === wanted ? [name] : []));

const lists: Record<string, string[] | undefined> = {
  STATUSES: properties.status?.enum,
  PROPERTY_TYPES: properties.propertyType?.enum,
  LIVING_AREA_UNITS: properties.livingAreaUnits?.enum,
  LOT_SIZE_UNITS: properties.lotSizeUnits?.enum,
  LISTING_FIELDS: Object.keys(components.schemas.Listing.properties),
  WRITABLE_FIELDS: Object.keys(properties),
  REQUIRED_FIELDS: required,
  INTEGER_FIELDS: fieldsOfType('integer'),
  DECIMAL_FIELDS: fieldsOfType('number'),
  RANGE_FIELDS: parameterNames.filter((name) => name.endsWith('[gte]')).map((name) => name.replace('[gte]', '')),
  SORT_FIELDS: parameters.get('sort')?.enum?.filter((name) => !name.startsWith('-')),
};

const text = Object.entries(lists)
  .map(([name, values = []]) => {
    if (values.length === 0) throw new Error(`The OpenAPI document has no values for ${name}`);
    return `export const ${name} = [\n${values.map((value) => `  '${value}',\n`).join('')}] as const;\n`;
  })
  .join('');
const content = `// Generated from openapi/openapi.json by \`npm run types -w client\`. Do not edit.\n${text}`;

if (!process.argv.includes('--check')) writeFileSync(FILE, content);
else if (readFileSync(FILE, 'utf8') !== content) throw new Error(`${FILE} is out of date: npm run types -w client`);
