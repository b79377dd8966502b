/** Creates a listing. */
export function curlCreate(apiKey: string): string {
  return [
    `curl ${window.location.origin}/v1/listings`,
    `-H "Authorization: Bearer ${apiKey}"`,
    `-H "Content-Type: application/json"`,
    `-d '{"address":"12 Elm Street","beds":3,"baths":2}'`,
  ].join(' \\\n  ');
}

/** Lists listings. The URL is quoted because shells expand question marks. */
export function curlList(apiKey: string): string {
  const { origin } = window.location;
  return [`curl "${origin}/v1/listings?limit=10"`, `-H "Authorization: Bearer ${apiKey}"`].join(' \\\n  ');
}
