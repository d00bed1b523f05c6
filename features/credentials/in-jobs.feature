Feature: Credentials in jobs

  Rule: A submission refers to a credential by name, and its job gets the value

    @CRED-001
    Scenario Outline: a job gets the value of a <kind> credential
      Given the credential "bot" is '<body>'
      When I submit the script "look.sh" with the options '{"credentials": {"TOKEN": "bot"}}':
        """
        test "$TOKEN" = "<text>"
        """
      Then the run succeeds

      @CRED-008 @CRED-009
      Examples:
        | kind   | body                                    | text   |
        | bearer | {"kind": "bearer", "token": "tok-1-ab"} | tok-1-ab |

      @CRED-012
      Examples:
        | kind    | body                                                        | text     |
        | api_key | {"kind": "api_key", "header": "x-key", "value": "key-2-ab"} | key-2-ab |

      @CRED-014 @CRED-015
      Examples:
        | kind  | body                                                         | text         |
        | basic | {"kind": "basic", "username": "ann", "password": "pass-3-a"} | ann:pass-3-a |

      @CRED-017 @CRED-018
      Examples:
        | kind      | body                                       | text     |
        | url_token | {"kind": "url_token", "token": "4:tok-ab"} | 4:tok-ab |

    @CLI-050
    Scenario: the --credential flag names credentials
      Given the credential "bot" is '{"kind": "bearer", "token": "tok-1-ab"}'
      And a file "look.sh":
        """
        test "$GH_TOKEN:$SECOND" = tok-1-ab:tok-1-ab
        """
      When I submit "look.sh --credential GH_TOKEN=bot --credential SECOND=bot" with the CLI as "it"
      Then the run succeeds

    @CRED-003
    Scenario: the run's history contains the credential's name but not its value
      Given the credential "bot" is '{"kind": "bearer", "token": "tok-history"}'
      When I submit the script "look.sh" with the options '{"credentials": {"TOKEN": "bot"}}':
        """
        svc step look -- test -n "$TOKEN"
        """
      Then the run succeeds
      And "credentials" of the run is '{"TOKEN":"bot"}'
      When I send "GET" to "{scoped}/runs/{run}"
      Then the answer lacks "tok-history"
      When I send "GET" to "{scoped}/runs/{run}/steps"
      Then the answer lacks "tok-history"
      When I send "GET" to "{scoped}/runs"
      Then the answer has '"credentials":{"TOKEN":"bot"}'
      And the answer lacks "tok-history"

  Rule: A credential overrides other sources of a variable

    @AUTH-018
    Scenario: a credential overrides a secret
      Given the secret "TOKEN" is "from-the-secret"
      And the credential "bot" is '{"kind": "bearer", "token": "from-credential"}'
      When I submit the script "look.sh" with the options '{"credentials": {"TOKEN": "bot"}}':
        """
        test "$TOKEN" = from-credential
        """
      Then the run succeeds

    @AUTH-019
    Scenario: a credential overrides the workflow's env
      Given the credential "bot" is '{"kind": "bearer", "token": "from-credential"}'
      When I submit the script "look.sh" with the options '{"env": {"TOKEN": "from-env"}, "credentials": {"TOKEN": "bot"}}':
        """
        test "$TOKEN" = from-credential
        """
      Then the run succeeds
