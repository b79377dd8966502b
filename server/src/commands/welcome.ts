/** What a person sees who starts the service in a terminal; `settings` go before commands, so that they find its database. */
export function welcome(url: string, databaseName: string, settings: string, setupUrl: string | undefined): string {
  return `
  Property Listings is running.

  Dashboard  ${url}
  API        ${url}/v1
  Reference  ${url}/docs
  Database   ${databaseName}
${setupUrl === undefined ? '' : setup(setupUrl)}
  Keys for the API are made in the dashboard, or in another terminal:

    ${settings}npx property-listings accounts create --name "My Company"
    ${settings}npx property-listings keys create --name "My first key" --account ACCOUNT_ID

  Then put the key where it says API_KEY, create a listing and list all:

    curl ${url}/v1/listings -H "Authorization: Bearer API_KEY" \\
      -H "Content-Type: application/json" -d '{"address":"12 Elm Street","beds":3,"baths":2}'
    curl ${url}/v1/listings -H "Authorization: Bearer API_KEY"

  Ctrl-C stops it.
`;
}

function setup(url: string): string {
  return `
  Next, open this link and become the administrator; it works once, for 30 minutes:

    ${url}
`;
}
