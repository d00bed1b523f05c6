Feature: Names and lifetimes of connected accounts

  @provider @ACCT-004 @ACCT-005 @CRED-019 @CRED-020 @CRED-021 @ERR-011 @CLI-016 @CLI-017 @CLI-018 @CLI-019 @PROV-003 @PROV-017 @PROV-019 @PROV-026
  Scenario: credentials and accounts share one namespace, and accounts are connected only in a browser
    Given a provider that "keeps" refresh tokens, with access tokens of 600 seconds
    And the credential "bot" is '{"kind": "bearer", "token": "tok-1-ab"}'
    When I ask in a browser to connect "bot" to "lasting"
    Then the answer is 409 with code "name_conflict"
    When "ana" at the provider is connected as "mail"
    Then the last token of the provider, noted as "token", is of "ana" with the scopes "openid offline_access"
    When I call "svc account ls"
    Then standard output matches "^mail +lasting +ana at the provider \(ana\) +active"
    When I send "PUT" to "{scoped}/credentials/mail" with:
      """
      {"kind": "bearer", "token": "tok-1-ab"}
      """
    Then the answer is 409 with code "name_conflict"
    When I send "POST" to "{scoped}/accounts/post/connect" with:
      """
      {"provider": "lasting"}
      """
    Then the answer is 403 with code "console_session_required"
    When I call "svc help account"
    Then standard output has "account rm"
    And standard output lacks "account connect"
    When I ask in a browser to connect "post" to "lasting"
    Then people come back from there to "{back}"
    When I ask in a browser to connect "post" to "other"
    Then people come back from there to "{back}"
    When I call "svc account rm mail"
    Then it exits with 0
    And standard error has "and ended its grant"
    And the provider takes the token "{token}" no more
    When I call "svc account ls"
    Then standard output lacks "mail"

  @provider @far-end @ACCT-008 @ACCT-013 @ACCT-014
  Scenario: the current token stays in use during a renewal
    Given a provider that "rotates" refresh tokens, with access tokens of 600 seconds
    And a far end that answers:
      | path | status |
      | /x   | 401    |
    And "ana" at the provider is connected as "mail"
    And the provider will "hold answer" a renewal
    When I run the node "http" with:
      """
      {"url": "{far}/x", "credential": "mail"}
      """
    Then the run succeeds
    And the account "mail" soon is "refreshing"
    When I run the node "http" with:
      """
      {"url": "{provider}/me", "credential": "mail"}
      """
    Then the run succeeds
    And "output.body.sub" of the run is "ana"
    When I send "GET" to "{scoped}/accounts/mail"
    Then "status" of the answer is "refreshing"
    When the provider lets its answer go
    Then the account "mail" soon is renewed
    And the account "mail" soon is "active"
    When I send "GET" to "/api/v1/openapi.json"
    Then the answer has '"enum":["active","refreshing","needs_reauth","in_doubt","disabled"]'

  @provider @PROV-018
  Scenario: if the provider cannot revoke grants, a removed account's grant stays valid at the provider
    Given a provider that rotates refresh tokens and revokes nothing
    And "ana" at the provider "lenient" is connected as "mail"
    And the last token of the provider, noted as "token", is of "ana" with the scopes "openid offline_access"
    When I call "svc provider ls --json"
    Then the provider "lenient" among them has "ends_grants" "false"
    And the provider "rotating" among them has "ends_grants" "true"
    When I call "svc account rm mail"
    Then it exits with 0
    And the provider still takes the token "{token}"

  @provider @PROV-020 @PROV-021
  Scenario: a token without a known expiry is renewed only if the settings assume a lifetime
    Given a provider that does not say how long its access tokens live
    And "ana" at the provider is connected as "mail"
    And "ana" at the provider "assumed" is connected as "post"
    Then the account "post" soon is renewed
    When I call "svc account show mail"
    Then standard output matches "^renewal +unknown_lifetime"
    And standard output lacks "expires"
    And standard output lacks "renewed"

  @provider @contract
  Scenario: an event warns before an account expires
    Given a provider that gives no refresh tokens, and access tokens of 86403 seconds
    And the handler "tell" on "svc.account.expiring,svc.account.disabled" runs "tell.sh":
      """
      grep -q '"account":"mail"' "$SVC_INPUT_FILE"
      """
    When "ana" at the provider is connected as "mail"
    Then the page says "will not be renewed"
    And the event "svc.account.expiring" of "mail" soon is told, without a token
    When I call "svc account disable mail"
    Then the event "svc.account.disabled" of "mail" soon is told, without a token
    When the last event of type "svc.account.disabled" is looked at
    Then the handler "tell" succeeds
    And "payload.status" of the last event "svc.account.disabled" is "disabled"
    And "payload.reason" of the last event "svc.account.disabled" matches "switched off by {me}"
    And "payload.expires_at" of the last event "svc.account.expiring" matches "^20"
    When I call "svc account uses mail --json"
    Then standard output is JSON whose "more" is "false"

  @provider @OVW-016
  Scenario: each project has its own accounts
    Given a provider that "keeps" refresh tokens, with access tokens of 600 seconds
    And "ana" at the provider is connected as "mail"
    When I work in another project
    And I send "GET" to "{scoped}/accounts"
    Then "accounts" of the answer is "[]"
    When I send "POST" to "{scoped}/runs" with:
      """
      {"node": "http", "config": {"url": "{provider}/me", "credential": "mail"}}
      """
    Then the answer is 422 with code "credential_missing"
    When "bob" at the provider is connected as "mail"
    And I run the node "http" with:
      """
      {"url": "{provider}/me", "credential": "mail"}
      """
    Then the run succeeds
    And "output.body.sub" of the run is "bob"

  @provider @browser @ACCT-010
  Scenario: the Connections page shows who granted an account
    Given a provider that "keeps" refresh tokens, with access tokens of 600 seconds
    And a member "ben" with the role "admin" and a token noted as "ben"
    And "ana" at the provider is connected as "mail"
    When the holder of "{ben}" connects "ana" at the provider as "post"
    Then the Connections page shows in a browser that "mail" was granted by "{me}"
    And the Connections page shows in a browser that "post" was granted by "ben"
