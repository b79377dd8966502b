/** What a person sees who starts the service in a terminal; `settings` go before commands, so that they find its database. */
export function welcome(url: string, databaseName: string, settings: string): string {
  return `
  Property Listings is running.

  API        ${url}/v1
  Reference  ${url}/docs
  Database   ${databaseName}

  Next, in another terminal, make an account, then a key for it:

    ${settings}npx property-listings accounts create --name "My Company"
    ${settings}npx property-listings keys create --name "My first key" --account ACCOUNT_ID

  Then put the key where it says API_KEY, create a listing and list all:

    curl ${url}/v1/listings -H "Authorization: Bearer API_KEY" \\
      -H "Content-Type: application/json" -d '{"address":"12 Elm Street","beds":3,"baths":2}'
    curl ${url}/v1/listings -H "Authorization: Bearer API_KEY"

  Ctrl-C stops it.
`;
}
