interface SampleOptions {
  apiKey: string;
  /** The address of the service. */
  origin: string;
  isReadOnly: boolean;
}

interface Sample {
  install?: string;
  code: string;
}

export type SampleName = 'curl' | 'TypeScript' | 'Python' | 'CLI';

/** Code that creates a listing or, with a read-only key, lists some listings. */
export const SAMPLES: Record<SampleName, (options: SampleOptions) => Sample> = {
  curl: ({ apiKey, origin, isReadOnly }) => {
    // Quote the URL, because shells expand question marks.
    const lines = isReadOnly
      ? [`curl "${origin}/v1/listings?limit=10"`, `-H "Authorization: Bearer ${apiKey}"`]
      : [
          `curl ${origin}/v1/listings`,
          `-H "Authorization: Bearer ${apiKey}"`,
          `-H "Content-Type: application/json"`,
          `-d '{"address":"12 Elm Street","beds":3,"baths":2}'`,
        ];
    return { code: lines.join(' \\\n  ') };
  },
  TypeScript: ({ apiKey, origin, isReadOnly }) => ({
    install: 'npm install @property-listings/client',
    code: `import { PropertyListings } from '@property-listings/client';

const client = new PropertyListings({
  baseUrl: '${origin}/v1',
  apiKey: '${apiKey}',
});

${
  isReadOnly
    ? `for await (const { address } of client.listings.list()) console.log(address);`
    : `const listing = await client.listings.create({ address: '12 Elm Street', beds: 3, baths: 2 });
console.log(listing.id);`
}`,
  }),
  Python: ({ apiKey, origin, isReadOnly }) => ({
    install: 'pip install requests',
    code: `import requests

response = requests.${isReadOnly ? 'get' : 'post'}(
    "${origin}/v1/listings",
    headers={"Authorization": "Bearer ${apiKey}"},
    ${isReadOnly ? 'params={"limit": 10}' : 'json={"address": "12 Elm Street", "beds": 3, "baths": 2}'},
    timeout=30,
)
response.raise_for_status()
print(response.json())`,
  }),
  CLI: ({ apiKey, origin, isReadOnly }) => ({
    install: 'npm install --global @property-listings/cli',
    code: `export PROPERTY_LISTINGS_BASE_URL=${origin}/v1
export PROPERTY_LISTINGS_API_KEY=${apiKey}
${isReadOnly ? 'listings list --limit 10' : 'listings create --address "12 Elm Street" --beds 3 --baths 2'}`,
  }),
};
