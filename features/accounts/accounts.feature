Feature: Connected accounts

  Rule: Tokens are renewed automatically until the grant ends

    @provider @ACCT-013 @ACCT-014 @ACCT-015 @ACCT-016 @ACCT-022 @ACCT-023 @ACCT-024 @ACCT-025 @ACCT-030 @ACCT-033 @ACCT-035 @ACCT-036 @ERR-013 @REQ-014 @PROV-012
    Scenario: a token is renewed, its grant ends at the provider, and the account is reconnected
      Given a provider that "rotates" refresh tokens, with access tokens of 5 seconds
      When "ana" at the provider is connected as "mail"
      Then the account "mail" soon is renewed
      When the provider forgets every grant
      Then the account "mail" soon is "needs_reauth"
      And the event "svc.account.needs_reauth" of "mail" soon is told, without a token
      When I save the graph "who":
        """
        {"nodes": [{"id": "me", "type": "http", "config": {"url": "{far}/me", "credential": "mail"}}]}
        """
      And I send "GET" to "{scoped}/graphs/who/requirements"
      Then "credentials.0.state" of the answer is "needs_reconnect"
      And "ready" of the answer is "false"
      When I send "POST" to "{scoped}/runs" with:
        """
        {"source": "true\n", "credentials": {"TOKEN": "mail"}}
        """
      Then the answer is 422 with code "account_needs_reconnect"
      When I call "svc account show mail"
      Then standard output has "ended the grant"
      And standard output has "/connections#mail"
      When "ana" at the provider is connected as "mail"
      Then the page says "connected again"
      And the account "mail" soon is "active"

    @provider @ACCT-017 @ACCT-018 @ACCT-026 @ACCT-027 @PROV-013
    Scenario: a renewal is not repeated after a lost response if the provider revokes reused tokens
      Given a provider that "rotates" refresh tokens, with access tokens of 5 seconds
      And the provider will "lose answer" a renewal
      When "ana" at the provider is connected as "mail"
      Then the account "mail" soon is "in_doubt"
      When I send "GET" to "{scoped}/accounts/mail"
      Then "reason" of the answer matches "may have been presented"
      And the event "svc.account.in_doubt" of "mail" soon is told, without a token
      When I send "POST" to "{scoped}/runs" with:
        """
        {"source": "true\n", "credentials": {"TOKEN": "mail"}}
        """
      Then the answer is 422 with code "account_needs_reconnect"

  Rule: When a user leaves, their grants end, and only the same account can replace them

    @provider @ACCT-019 @ACCT-020 @ACCT-021 @ACCT-028 @ACCT-029 @ACCT-030 @ACCT-031 @ACCT-032 @ERR-012
    Scenario: an account is disabled manually, and again when the user who granted it leaves
      Given a provider that "keeps" refresh tokens, with access tokens of 600 seconds
      And a member "ben" with the role "admin" and a token noted as "ben"
      When the holder of "{ben}" connects "ana" at the provider as "mail"
      Then the page says "The account is connected"
      When I call "svc account disable mail"
      Then it exits with 0
      And the account "mail" soon is "disabled"
      When the holder of "{ben}" connects "ana" at the provider as "mail"
      Then the account "mail" soon is "active"
      When I send "DELETE" to "{scoped}/members/ben"
      Then the answer is 204
      And the account "mail" soon is "disabled"
      When I send "POST" to "{scoped}/runs" with:
        """
        {"source": "true\n", "credentials": {"TOKEN": "mail"}}
        """
      Then the answer is 422 with code "account_needs_reconnect"
      When "eve" at the provider is connected as "mail"
      Then the page says "A different account was connected"
      And the account "mail" soon is "disabled"
      When "ana" at the provider is connected as "mail"
      Then the page says "connected again"
      When I send "GET" to "{scoped}/accounts/mail"
      Then "granter" of the answer is "{me}"
      And "status" of the answer is "active"

    @provider @ACCT-020 @ACCT-028
    Scenario: when a user leaves, an account whose grant has already ended is disabled too
      Given a provider that gives no refresh tokens, and access tokens of 2 seconds
      And a member "ben" with the role "admin" and a token noted as "ben"
      When the holder of "{ben}" connects "ana" at the provider as "spent"
      Then the account "spent" soon is "needs_reauth"
      When I send "DELETE" to "{scoped}/members/ben"
      Then the answer is 204
      And the account "spent" soon is "disabled"
