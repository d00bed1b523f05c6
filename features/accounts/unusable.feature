Feature: Accounts that cannot be used

  Rule: A run that uses an unusable account fails before it sends anything, until the account is reconnected

    @provider @far-end @ACCT-008 @ACCT-016 @ACCT-018 @ACCT-021 @ACCT-024 @ACCT-025 @ACCT-026 @ACCT-027 @ACCT-030 @ACCT-035 @ACCT-036 @ERR-013 @REQ-014
    Scenario: an account is disabled, in doubt, or has no grant at the provider
      Given a provider that "rotates" refresh tokens, with access tokens of 600 seconds
      And a far end that answers:
        | path   | status |
        | /doubt | 401    |
        | /gone  | 401    |
        | /slow  | 401    |
      And "ana" at the provider is connected as "off"
      And "bea" at the provider is connected as "doubt"
      And "cai" at the provider is connected as "gone"
      When I submit the pipeline as "before":
        """
        jobs:
          go: { wait_for_event: go.on }
          off: { needs: go, continue_on_error: true, credentials: { TOKEN: "off" }, steps: [{ run: "curl {far}/off" }] }
          doubt: { needs: go, continue_on_error: true, credentials: { TOKEN: doubt }, steps: [{ run: "curl {far}/in-doubt" }] }
          gone: { needs: go, continue_on_error: true, credentials: { TOKEN: gone }, steps: [{ run: "curl {far}/is-gone" }] }
        outputs:
          off: "${{ jobs.off.error.code }}"
          doubt: "${{ jobs.doubt.error.code }}"
          gone: "${{ jobs.gone.error.code }}"
        """
      Then the run waits for "event" "go.on"
      When the provider will "hold answer" a renewal
      And I run the node "http" with:
        """
        {"url": "{far}/slow", "credential": "off"}
        """
      Then the run succeeds
      And the account "off" soon is "refreshing"
      When the provider lets its answer go
      Then the account "off" soon is "active"
      When I call "svc account disable off"
      Then the account "off" soon is "disabled"
      When the provider will "lose answer" a renewal
      And I run the node "http" with:
        """
        {"url": "{far}/doubt", "credential": "doubt"}
        """
      Then the run succeeds
      And the account "doubt" soon is "in_doubt"
      When the provider forgets every grant
      And I run the node "http" with:
        """
        {"url": "{far}/gone", "credential": "gone"}
        """
      Then the run succeeds
      And the account "gone" soon is "needs_reauth"
      When I emit "go.on"
      And I look at the run "before"
      Then the run succeeds
      And "output" of the run is '{"off":"account_needs_reconnect","doubt":"account_needs_reconnect","gone":"account_needs_reconnect"}'
      When I submit over HTTP the graph with the input '{"who": ["off", "doubt", "gone"]}':
        """
        {"nodes": [
          {"id": "a", "type": "http", "continue_on_error": true, "config": {"url": "{far}/a", "credential": {"$expr": "input.who[0]"}}},
          {"id": "b", "type": "http", "continue_on_error": true, "config": {"url": "{far}/b", "credential": {"$expr": "input.who[1]"}}},
          {"id": "c", "type": "http", "continue_on_error": true, "config": {"url": "{far}/c", "credential": {"$expr": "input.who[2]"}}}]}
        """
      Then the run succeeds
      And the far end got 3 requests
      When I save the graph "who":
        """
        {"nodes": [
          {"id": "a", "type": "http", "config": {"url": "{far}/a", "credential": "off"}},
          {"id": "b", "type": "http", "config": {"url": "{far}/b", "credential": "doubt"}},
          {"id": "c", "type": "http", "config": {"url": "{far}/c", "credential": "gone"}}]}
        """
      Then the requirements of "who" are:
        | node_id | name  | state           |
        | a       | off   | needs_reconnect |
        | b       | doubt | needs_reconnect |
        | c       | gone  | needs_reconnect |
      When "bea" at the provider is connected as "doubt"
      Then the page says "connected again"
      And the account "doubt" soon is "active"
      When "cai" at the provider is connected as "gone"
      And "ana" at the provider is connected as "off"
      And I run the node "http" with:
        """
        {"url": "{provider}/me", "credential": "doubt"}
        """
      Then the run succeeds
      And "output.body.sub" of the run is "bea"

    @provider @far-end @ACCT-015 @ACCT-016 @ACCT-024 @ACCT-025 @ACCT-036
    Scenario: a run fails if the account's token has expired and cannot be renewed
      Given a provider that gives no refresh tokens, and access tokens of 2 seconds
      And a far end
      And "ana" at the provider is connected as "mail"
      Then the account "mail" soon is "needs_reauth"
      When I submit over HTTP the graph with the input '{"who": "mail"}':
        """
        {"nodes": [{"id": "me", "type": "http", "config": {"url": "{far}/x", "credential": {"$expr": "input.who"}}}]}
        """
      Then the run fails with code "account_needs_reconnect"
      And the far end got 0 requests

  Rule: The effect of a lost response depends on how the provider treats refresh tokens

    @provider @far-end @ACCT-026 @PROV-012 @PROV-013
    Scenario: a lost response is handled as the provider's refresh token settings require
      Given a provider that rotates refresh tokens and revokes nothing
      And the operator has said of the provider:
        | provider | rotates | reuse |
        | rotating | true    | true  |
        | lenient  | true    | false |
        | lasting  | false   | false |
      And a far end that answers:
        | path | status |
        | /x   | 401    |
      And "ana" at the provider "rotating" is connected as "strict"
      And "ana" at the provider "lenient" is connected as "rotating"
      And "ana" at the provider "lenient" is connected as "lucky"
      And "ana" at the provider "lasting" is connected as "lasting"
      When the provider loses 1 renewal while I use "strict" at "{far}/x"
      Then the account "strict" soon is "in_doubt"
      When the provider loses 1 renewal while I use "lucky" at "{far}/x"
      Then the account "lucky" soon is renewed
      And the account "lucky" soon is "active"
      When the provider loses 2 renewals while I use "rotating" at "{far}/x"
      Then the account "rotating" soon is "in_doubt"
      When the provider loses 2 renewals while I use "lasting" at "{far}/x"
      Then the account "lasting" soon is renewed
      And the account "lasting" soon is "active"

  Rule: Only the same account at the same provider can restore an account

    @provider @ACCT-020 @ACCT-028 @ACCT-029 @ACCT-031 @ACCT-032
    Scenario: another provider cannot restore an account after its user has left the org
      Given a provider that "keeps" refresh tokens, with access tokens of 600 seconds
      And a member "ben" with the role "admin" and a token noted as "ben"
      When the holder of "{ben}" connects "ana" at the provider as "mail"
      Then the account "mail" soon is "active"
      When I send "DELETE" to "/api/v1/orgs/{org}/members/ben"
      Then the answer is 204
      And the account "mail" soon is "disabled"
      When I ask in a browser to connect "mail" to "other"
      Then the answer is 409 with code "account_mismatch"
      And the account "mail" soon is "disabled"
      When "ana" at the provider is connected as "mail"
      Then the page says "connected again"
      And the account "mail" soon is "active"

    @provider @PROV-016 @ACCT-031
    Scenario: the operator chooses which member of the provider's response identifies the account
      Given a provider that puts "ana" and "eve" into the group "sales"
      And "ana" at the provider is connected as "own"
      And "ana" at the provider "grouped" is connected as "shared"
      When "eve" at the provider is connected as "own"
      Then the page says "A different account was connected"
      When "eve" at the provider "grouped" is connected as "shared"
      Then the page says "connected again"

  Rule: The provider redirects to the address that the operator set

    @own-server @configured @PROV-002
    Scenario: the redirect address can be the address of a proxy in front of the server
      Given settings of providers noted as "providers", one for each line:
        | token_url | "http://127.0.0.1:1/token" |
      And a file "providers.json":
        """
        {providers}
        """
      And a server and an agent of their own with:
        | SVC_CONNECTED_ACCOUNT_PROVIDERS     | @{folder}/providers.json                          |
        | SVC_CONNECTED_ACCOUNTS_REDIRECT_URI | https://flows.example.org/connections/callback    |
      When I ask in a browser to connect "mail" to "forge"
      Then "authorize_url" of the answer matches "redirect_uri=https%3A%2F%2Fflows\.example\.org%2Fconnections%2Fcallback&"
