@contract @far-end
Feature: Allowed hosts of credentials

  Rule: A credential with hosts is sent to them and to no other host

    Scenario: a request to an allowed host contains the credential
      Given a far end
      And the credential "bot" is '{"kind": "bearer", "token": "tok-hosts-canary", "hosts": ["127.0.0.1"]}'
      When I run the node "http" with:
        """
        {"url": "{far}/x", "credential": "bot"}
        """
      Then the run succeeds
      And the far end got:
        | path | authorization           |
        | /x   | Bearer tok-hosts-canary |

    Scenario: a request to another host fails before anything is sent
      Given a far end
      And the credential "bot" is '{"kind": "bearer", "token": "tok-hosts-canary", "hosts": ["*.example.com"]}'
      When I run the node "http" with:
        """
        {"url": "{far}/x", "credential": "bot"}
        """
      Then the run fails with code "credential_host_not_allowed"
      And "error.message" of the run matches "the credential bot can be sent only to \*.example.com, not to 127.0.0.1"
      And the far end got 0 requests
      And nobody can read "tok-hosts-canary" anywhere in the run

    Scenario: the credential does not follow a redirect to another host
      Given a far end that answers:
        | path | status | headers                                        | body |
        | /x   | 302    | {"location": "http://localhost:1/elsewhere"}   |      |
      And the credential "bot" is '{"kind": "bearer", "token": "tok-hosts-canary", "hosts": ["127.0.0.1"]}'
      When I run the node "http" with:
        """
        {"url": "{far}/x", "credential": "bot"}
        """
      Then the run succeeds
      And "output.status" of the run is "302"
      And the far end got 1 request

    Scenario: a credential that is set again has no earlier limit
      Given a far end
      And the credential "bot" is '{"kind": "bearer", "token": "tok-hosts-canary", "hosts": ["example.com"]}'
      And the credential "bot" is '{"kind": "bearer", "token": "tok-hosts-canary"}'
      When I run the node "http" with:
        """
        {"url": "{far}/x", "credential": "bot"}
        """
      Then the run succeeds

  Rule: A program can send its environment anywhere, so jobs do not get such a credential

    Scenario: a submission that refers to one is rejected
      Given the credential "bot" is '{"kind": "bearer", "token": "tok-hosts-canary", "hosts": ["example.com"]}'
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "a.sh", "source": "true", "credentials": {"TOKEN": "bot"}}
        """
      Then the answer is 422 with code "credential_host_not_allowed"
      And the answer has "TOKEN: the credential bot can be sent only to example.com, not to a job"

    Scenario: if the limit is set later, the claim fails
      Given the credential "bot" is '{"kind": "bearer", "token": "tok-hosts-canary"}'
      When I submit the script "look.sh" with the options '{"credentials": {"TOKEN": "bot"}}':
        """
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      Given the credential "bot" is '{"kind": "bearer", "token": "tok-hosts-canary", "hosts": ["example.com"]}'
      When I send the signal "go" with "null"
      Then the run fails with code "credential_host_not_allowed"

  Rule: The CLI and the API show which hosts are allowed

    Scenario: hosts are set and listed
      When I call "svc credential set bot --kind bearer --token - --host API.Example.com --host *.example.org" with standard input:
        """
        tok-hosts-canary
        """
      And I call "svc credential ls"
      Then standard output has "api.example.com, *.example.org"
      And standard output lacks "tok-hosts-canary"

    Scenario Outline: <what> is not a valid host
      When I send "PUT" to "{scoped}/credentials/bot" with:
        """
        {"kind": "bearer", "token": "tok-1-ab", "hosts": <hosts>}
        """
      Then the answer is 400 with code "invalid_request"
      And the answer names the faults "<faults>"

      Examples:
        | what                    | hosts                         | faults   |
        | a URL                   | ["https://example.com"]       | /hosts/0 |
        | a host with a port      | ["a.example", "b.example:80"] | /hosts/1 |
        | a path                  | ["example.com/x"]             | /hosts/0 |
        | a wildcard in the middle | ["a.*.example.com"]          | /hosts/0 |
        | everything              | ["*"]                         | /hosts/0 |
        | an empty list           | []                            | /hosts   |
