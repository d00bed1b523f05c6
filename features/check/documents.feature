Feature: Checking documents that are not workflows

  Rule: A handler file is recognized by its members and checked as at registration

    @contract
    Scenario: a valid handler passes the check
      Given a file "good.json":
        """
        {"on": ["deploy.*"], "when": "event.payload.n > 1", "filename": "a.sh", "source": "echo hello"}
        """
      When I call "svc check good.json"
      Then it exits with 0
      And standard output is "good.json: ok"

    @WAIT-013
    Scenario: every problem in a handler is reported with its position
      Given a file "bad.json":
        """
        {
          "on": ["run.*", "a*b"],
          "wen": "true",
          "when": "event.payload.n === 1",
          "filename": "a.sh",
          "source": "echo one\nif true; then"
        }
        """
      When I call "svc check bad.json"
      Then it exits with 1
      # @contract
      And standard output has "bad.json:2:19: /on/1 can have only one *"
      # @contract
      And standard output has "bad.json:3:10: /wen is not a known member; did you mean when?"
      # @contract
      And standard output has "bad.json:4:28: /when unexpected"
      # @contract
      And standard output has "event.payload.n === 1"
      # @contract
      And standard output has "    |                            ^"

    @contract
    Scenario: the workflow that a handler runs is checked too
      Given a file "on-push.json":
        """
        {"on": ["push"],
         "filename": "a.sh",
         "source": "echo one\nif true; then"}
        """
      When I call "svc check on-push.json"
      Then it exits with 1
      And standard output matches "^on-push\.json:3:12: /source \d+:\d+ .*\(bash_syntax\)$"

    @contract
    Scenario: the check finds the problems that would reject a registration
      Given a file "gone.json":
        """
        {"on": ["push"], "graph": "nobody"}
        """
      When I call "svc check gone.json --json"
      Then it exits with 1
      And standard output is JSON with "files.0.problems.0.line"
      And standard output has "the project has no graph nobody"
      When I send "PUT" to "{scoped}/handlers/gone" with:
        """
        {"on": ["push"], "graph": "nobody"}
        """
      Then the answer is 404 with code "not_found"
      And the answer has "the project has no graph nobody"

  @contract
  Rule: A file with a `manifest` member is checked as a connector manifest

    Scenario: a valid connector passes the check
      When I call "svc connector init mill"
      Then it exits with 0
      When I call "svc check {folder}/mill/manifest.json"
      Then it exits with 0
      And standard output has "manifest.json: ok"

    Scenario: misspelt manifest members are reported
      Given a file "m.json":
        """
        {"manifest": "svc-connector/v1",
         "name": "mill",
         "titel": "Mill",
         "actions": {}}
        """
      When I call "svc check m.json"
      Then it exits with 1
      And standard output has "m.json:3:11: /titel is not a known member; did you mean title?"
      And standard output has "/title is required"

  @contract
  Rule: Unknown JSON is reported as such and never treated as a program

    Scenario Outline: the check rejects <what>
      Given a file "x.json":
        """
        <text>
        """
      When I call "svc check x.json"
      Then it exits with 1
      And standard output has "<said>"

      Examples:
        | what             | text                       | said                                             |
        | no JSON          | {"on": ["push"], }         | x.json:1:18: is not valid JSON: expected name    |
        | an unknown thing | {"colour": "red"}          | x.json:1:1: svc does not recognize this document  |
        | a later version  | {"version": "svc-mill/v1"} | the document is a mill, which is not a known kind |

    Scenario: a problem in one file does not hide problems in the others
      Given a file "x.json":
        """
        {"version": "svc-mill/v1"}
        """
      And a file "y.sh":
        """
        if true; then
        """
      When I call "svc check x.json y.sh"
      Then it exits with 1
      And standard output has "x.json:1:1: "
      And standard output has "y.sh:"
