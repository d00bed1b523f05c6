Feature: Providers of connected accounts, set by the operator

  Rule: A server does not start with invalid provider settings

    @program
    Scenario Outline: a provider without <field> is rejected
      Given a master key noted as "key"
      And settings of a provider noted as "providers", with "<field>" "absent"
      When I call "svc serve" with the settings:
        | SVC_DATABASE_URL                    | sqlite:{folder}/a.db |
        | SVC_MASTER_KEY                      | {key}                |
        | SVC_PORT                            | 0                    |
        | SVC_CONNECTED_ACCOUNT_PROVIDERS     | {providers}          |
        | SVC_CONNECTED_ACCOUNTS_REDIRECT_URI | https://svc.example/connections/callback |
      Then it exits with 1
      # @contract
      And standard error has "(setting_invalid)"
      And standard error has "SVC_CONNECTED_ACCOUNT_PROVIDERS"
      And standard error has "[0].<field> is required"
      And standard error lacks "hush"

      @PROV-001 @PROV-005 @PROV-006 @PROV-007 @PROV-008 @PROV-009 @PROV-010 @PROV-011 @PROV-014 @PROV-015 @PROV-016
      Examples:
        | field                              |
        | name                               |
        | authorize_url                      |
        | token_url                          |
        | client_id                          |
        | client_secret                      |
        | scopes                             |
        | capabilities                       |
        | capabilities.rotates_refresh_token |
        | capabilities.reuse_revokes_family  |
        | identity                           |
        | identity.url                       |
        | identity.id_pointer                |

    @program
    Scenario Outline: a provider is rejected if <field> is <value>
      Given a master key noted as "key"
      And settings of a provider noted as "providers", with "<field>" '<value>'
      When I call "svc serve" with the settings:
        | SVC_DATABASE_URL                | sqlite:{folder}/a.db |
        | SVC_MASTER_KEY                  | {key}                |
        | SVC_PORT                        | 0                    |
        | SVC_CONNECTED_ACCOUNT_PROVIDERS | {providers}          |
      Then it exits with 1
      # @contract
      And standard error has "(setting_invalid)"
      And standard error has "[0].<field> <says>"

      @PROV-023 @PROV-024 @PROV-025 @ERR-014
      Examples:
        | field         | value                      | says                                                     |
        | authorize_url | "http://forge.example/a"   | must be https; plain http is accepted for localhost only |
        | token_url     | "http://forge.example/t"   | must be https                                            |
        | identity.url  | "http://10.0.0.1/user"     | must be https                                            |
        | revoke_url    | "http://forge.example/r"   | must be https                                            |
        | token_url     | "http://localhost.example" | must be https                                            |

      @PROV-005 @PROV-008 @PROV-010 @PROV-012 @PROV-013 @PROV-020
      Examples:
        | field                              | value  | says            |
        | name                               | "a b"  | must match      |
        | client_id                          | 7      | must be a string  |
        | scopes                             | "repo" | must be an array   |
        | capabilities.rotates_refresh_token | "yes"  | must be a boolean |
        | capabilities.reuse_revokes_family  | 1      | must be a boolean |
        | assumed_lifetime_secs              | 1.5    | must be an integer |
        | unheard_of                         | true   | is not a known member |

    @program @PROV-002 @PROV-025
    Scenario: all problems are reported together, including those with the redirect address and secret files
      Given a master key noted as "key"
      And settings of providers noted as "providers", one for each line:
        | token_url     | "token"           |
        | name          | "other"           |
        | client_secret | "@{folder}/none"  |
      When I call "svc serve" with the settings:
        | SVC_DATABASE_URL                    | sqlite:{folder}/a.db                     |
        | SVC_MASTER_KEY                      | {key}                                    |
        | SVC_PORT                            | 0                                        |
        | SVC_CONNECTED_ACCOUNT_PROVIDERS     | {providers}                              |
        | SVC_CONNECTED_ACCOUNTS_REDIRECT_URI | http://svc.example/connections/callback  |
      Then it exits with 1
      And standard error has "[0].token_url must be an https address"
      And standard error has "[2].client_secret names the file"
      And standard error has "[2].name is also the name of [0]"
      And standard error has "SVC_CONNECTED_ACCOUNTS_REDIRECT_URI must be https"

  Rule: A server with valid settings lists its providers and shows no secret

    @own-server @configured @PROV-001 @PROV-018 @PROV-020 @PROV-024
    Scenario: settings can be in a file, name local addresses and include optional members
      Given settings of providers noted as "providers", one for each line:
        | token_url | "http://127.0.0.1:1/token" |
      And a file "providers.json":
        """
        {providers}
        """
      And a server and an agent of their own with:
        | SVC_CONNECTED_ACCOUNT_PROVIDERS     | @{folder}/providers.json                         |
        | SVC_CONNECTED_ACCOUNTS_REDIRECT_URI | http://127.0.0.1:8787/connections/callback |
      When I call "svc provider ls --json"
      Then it exits with 0
      And standard output is JSON whose "providers.0.name" is "forge"
      And standard output is JSON whose "providers.0.title" is "forge"
      And standard output is JSON whose "providers.0.capabilities.rotates_refresh_token" is "true"
      And standard output is JSON whose "providers.0.ends_grants" is "false"
      And standard output lacks "hush"
      When I call "svc doctor"
      Then it exits with 1
      And standard output has "FAIL forge token_url"
      And standard output has "127.0.0.1:1"

    @own-server @PROV-026
    Scenario: a server without providers lists none
      When I call "svc provider ls"
      Then it exits with 0
      And standard output is ""
      When I ask in a browser to connect "mail" to "far"
      Then the answer is 409 with code "connecting_not_offered"

  Rule: Settings of a public provider come from a preset

    @contract @own-server @configured
    Scenario: a provider is created from a preset, and a server lists it
      When I call "svc provider presets"
      Then it exits with 0
      And standard output matches "^github +GitHub"
      When I call "svc provider new github --client-id Iv1.abc --client-secret hush --to providers.json"
      Then it exits with 2
      And standard error has "--client-secret must be @file or env:NAME"
      When I call "svc provider new gitlap"
      Then it exits with 2
      And standard error has "did you mean gitlab?"
      When I call "svc provider new github --client-id Iv1.abc --client-secret @{folder}/hush.txt --to {folder}/providers.json"
      Then it exits with 0
      When I call "svc provider new google --name machines --to {folder}/providers.json"
      Then it exits with 0
      And standard error has "not confirmed: identity;"
      When I call "svc provider new google --name machines --to {folder}/providers.json"
      Then it exits with 2
      And standard error has "already has a provider machines"
      Given a file "hush.txt":
        """
        hush-of-the-client
        """
      And a server and an agent of their own with:
        | SVC_CONNECTED_ACCOUNT_PROVIDERS     | @{folder}/providers.json                   |
        | SVC_CONNECTED_ACCOUNTS_REDIRECT_URI | http://127.0.0.1:8787/connections/callback |
      When I call "svc provider ls --json"
      Then standard output is JSON whose "providers.0.title" is "GitHub"
      And standard output is JSON whose "providers.1.name" is "machines"
      And standard output is JSON whose "providers.1.grants.0" is "jwt_bearer"
      And standard output is JSON whose "providers.1.scopes.1" is "email"
      And standard output lacks "hush"
