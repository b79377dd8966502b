/** What a person sees who starts the service in a terminal. */
export function welcome(url: string, databaseName: string): string {
  return `
  Property Listings is running.

  API        ${url}/v1
  Reference  ${url}/docs
  Database   ${databaseName}

  Next, in another terminal, make an account and a key:

    npx property-listings accounts create --name "My Company"
    npx property-listings keys create --account <the account's id> --name "My first key"

  Then create a listing and list all:

    curl ${url}/v1/listings -H "Authorization: Bearer <the key>" \\
      -H "Content-Type: application/json" -d '{"address":"12 Elm Street","beds":3,"baths":2}'
    curl ${url}/v1/listings -H "Authorization: Bearer <the key>"

  Ctrl-C stops it.
`;
}
