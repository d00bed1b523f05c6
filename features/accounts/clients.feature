@contract
Feature: Accounts that need no person

  Rule: An account with its own client gets tokens without anybody's consent

    @provider
    Scenario: an account gets tokens with a client's secret until the provider rejects it
      Given a provider that knows the client "robot", with access tokens of 6 seconds
      And a file "robot.txt":
        """
        {robot_secret}
        """
      When I call "svc account add jobs --provider robots --client-id robot --client-secret @robot.txt"
      Then it exits with 0
      And standard error has "Connected account jobs as robot"
      And standard error lacks "{robot_secret}"
      When I send "GET" to "{scoped}/accounts/jobs"
      Then "grant" of the answer is "client_credentials"
      And "renewal" of the answer is "automatic"
      And "account" of the answer is '{"id":"robot","label":"robot"}'
      And "granter" of the answer is "{me}"
      And the answer lacks "{robot_secret}"
      And the account "jobs" soon is renewed
      Given a file "who.sh":
        """
        echo "it is $TOKEN"
        """
      When I call "svc submit who.sh --follow --credential TOKEN=jobs"
      Then it exits with 0
      And standard output has "it is ***"
      When I send "GET" to "{scoped}/audit"
      Then the answer has '"account.connect"'
      And the answer lacks "{robot_secret}"
      When the provider has another secret for the client "robot"
      Then the account "jobs" soon is "needs_reauth"
      When I call "svc account show jobs"
      Then standard output has "rejects the client"
      And standard output lacks "{robot_secret}"
      When I call "svc account add jobs --provider robots --client-id robot --client-secret @robot.txt"
      Then it exits with 1
      And standard error has "(account_not_granted)"
      And standard error has "invalid_client"
      And standard error lacks "{robot_secret}"
      Given a file "robot.txt":
        """
        {new_robot_secret}
        """
      When I call "svc account add jobs --provider robots --client-id robot --client-secret @robot.txt"
      Then it exits with 0
      And the account "jobs" soon is "active"
      When I call "svc account rm jobs"
      Then it exits with 0
      And standard error has "can still get tokens"

    @provider
    Scenario: an account gets tokens with signed assertions
      Given a provider that knows the client "robot", with access tokens of 600 seconds
      And a file "robot.pem":
        """
        {robot_key}
        """
      When I call "svc account add sheets --provider signers --client-id robot --key @robot.pem --key-id k1 --subject ops@example.org --scope read --scope write"
      Then it exits with 0
      And the provider has accepted an assertion with:
        | alg   | ES256             |
        | kid   | k1                |
        | iss   | robot             |
        | sub   | ops@example.org   |
        | aud   | {provider}/assertions |
        | scope | read write        |
      When I send "GET" to "{scoped}/accounts/sheets"
      Then "grant" of the answer is "jwt_bearer"
      And "account" of the answer is '{"id":"ops@example.org","label":"robot"}'
      And the answer lacks "PRIVATE KEY"
      When I call "svc account add notes --provider signers --client-id robot --key @robot.pem"
      Then it exits with 0
      And the provider has accepted an assertion with:
        | sub   | robot |
        | scope | usual |
      When I call "svc account add sheets --provider signers --client-id robot --key @robot.pem --subject eve@example.org"
      Then it exits with 1
      And standard error has "(account_mismatch)"

  Rule: Requests that cannot work are rejected before svc contacts the provider

    @provider
    Scenario Outline: a request is rejected if <what>
      Given a provider that knows the client "robot", with access tokens of 600 seconds
      When I send "POST" to "{scoped}/accounts/jobs/connect-client" with:
        """
        <body>
        """
      Then the answer is <status> with code "<code>"
      And the answer lacks "hush-hush"

      Examples:
        | what                              | status | code                   | body |
        | the provider is unknown           | 409    | connecting_not_offered | {"provider": "nobody", "grant": "client_credentials", "client_id": "robot", "client_secret": "hush-hush"} |
        | the provider asks people          | 409    | connecting_not_offered | {"provider": "rotating", "grant": "client_credentials", "client_id": "robot", "client_secret": "hush-hush"} |
        | the provider has another grant    | 409    | connecting_not_offered | {"provider": "robots", "grant": "jwt_bearer", "client_id": "robot", "private_key": "hush-hush"} |
        | there is no secret                | 400    | invalid_request        | {"provider": "robots", "grant": "client_credentials", "client_id": "robot"} |
        | the key is none                   | 400    | invalid_request        | {"provider": "signers", "grant": "jwt_bearer", "client_id": "robot", "private_key": "hush-hush"} |
        | the provider rejects the secret   | 424    | account_not_granted    | {"provider": "robots", "grant": "client_credentials", "client_id": "robot", "client_secret": "hush-hush"} |

    @provider
    Scenario: nobody is redirected to a provider whose accounts need no person
      Given a provider that knows the client "robot", with access tokens of 600 seconds
      When I ask in a browser to connect "jobs" to "robots"
      Then the answer is 409 with code "connecting_not_offered"

  Rule: A test reports whether an account works

    @provider
    Scenario: a test request shows what the provider does with the token
      Given a provider that "keeps" refresh tokens, with access tokens of 600 seconds
      And a member "eve" with the role "viewer" and a token noted as "eve"
      When "ana" at the provider is connected as "mail"
      Then the last token of the provider, noted as "token", is of "ana" with the scopes "openid offline_access"
      When I call "svc account test mail"
      Then it exits with 0
      And standard output has "works:"
      And standard output lacks "{token}"
      When I send "GET" to "{scoped}/audit"
      Then the answer has '"account.test"'
      When I call "svc account test mail" with "SVC_TOKEN" set to "{eve}"
      Then it exits with 1
      And standard output lacks "works"
      When the provider forgets every grant
      And I call "svc account test mail"
      Then it exits with 1
      And standard output has "refused:"
      And standard output lacks "{token}"
      And the account "mail" soon is "needs_reauth"
      When I call "svc account test mail"
      Then it exits with 1
      And standard output has "Reconnect the account"

    @provider
    Scenario: an account is not tested if its provider declares no test request
      Given a provider that knows the client "robot", with access tokens of 600 seconds
      When I send "POST" to "{scoped}/accounts/jobs/connect-client" with:
        """
        {"provider": "robots", "grant": "client_credentials", "client_id": "robot", "client_secret": "{robot_secret}"}
        """
      Then the answer is 200
      When I call "svc account test jobs"
      Then it exits with 1
      And standard output has "untested:"
      And standard output has "test_url"
