Feature: What the commands do

  Rule: A workflow file is submitted and its run is inspected

    @CLI-045 @CLI-056 @CLI-057
    Scenario: submit prints the ID that status and steps accept
      Given a file "job.sh":
        """
        svc step build --label compile -- echo built
        svc step fail -- false || true
        svc output set done=yes
        """
      When I submit "job.sh" with the CLI as "it"
      Then the run succeeds
      When I call "svc status {run}"
      Then standard output has "job.sh (script)"
      And standard output has "succeeded"
      And standard output has '{"done":"yes"}'
      When I call "svc steps {run} --output"
      Then standard output has "build"
      And standard output has "fail"
      # @contract
      And standard output matches "step +build#0 \(compile\) +exit 0 +\d+ ms +built"
      # @contract
      And standard output matches "step +fail#0 +exit 1"
      When I call "svc logs {run}"
      Then standard output is "built"

    @contract
    Scenario: the workflow can come from standard input
      When I call "svc submit - --follow" with standard input:
        """
        echo from a pipe
        """
      Then it exits with 0
      And standard output is "from a pipe"

    @CLI-047
    Scenario: --as script treats any document as a script
      Given a file "notes.yml":
        """
        echo "as a script: $0"
        """
      When I call "svc submit notes.yml --as script --interpreter bash --follow"
      Then it exits with 0
      And standard output has "as a script: "

    @CLI-049 @needs-python3
    Scenario: an interpreter flag overrides the file extension
      Given a file "job.sh":
        """
        import sys; print("python", sys.version_info[0])
        """
      When I call "svc submit job.sh --interpreter python3 --follow"
      Then it exits with 0
      And standard output is "python 3"

    @CLI-051
    Scenario: a repeat with the same idempotency key prints the first run and reports the duplicate
      Given a file "job.sh":
        """
        echo ran >>{folder}/ran
        """
      When I submit "job.sh --idempotency-key nightly" with the CLI as "it"
      Then the run succeeds
      When I call "svc submit job.sh --idempotency-key nightly"
      Then it exits with 0
      And standard output is "{run}"
      # @contract
      And standard error has "duplicate: "
      And the file "ran" has 1 line

    @contract
    Scenario: input, variables, tags and subject reach the run
      Given a file "job.sh":
        """
        echo "$COLOUR"; cat "$SVC_INPUT_FILE"
        """
      When I call "svc submit job.sh --env COLOUR=red --input [1,2] --tag team:core --subject order-7 --follow --json"
      Then it exits with 0
      And standard output is JSON whose "subject" is "order-7"
      And standard output is JSON whose "tags.0" is "team:core"
      And standard error has "red"
      And standard error has '"input":[1,2]'

    @contract
    Scenario Outline: an input can be given as members, as JSON, as a file or on standard input
      Given a file "job.sh":
        """
        svc input
        """
      And a file "given.json":
        """
        {"from": ["a", "file"]}
        """
      When I call "svc submit job.sh --follow --input <given>" with standard input:
        """
        {"from": "a pipe"}
        """
      Then it exits with 0
      And standard output is '<read>'

      Examples:
        | given                                | read                               |
        | region=eu replicas:=3 --subject s    | {"region":"eu","replicas":3}       |
        | region=eu --input on:=true           | {"region":"eu","on":true}          |
        | url=https://a.b/?c=d 'a name'=       | {"url":"https://a.b/?c=d","a name":""} |
        | [1.50,null]                          | [1.50,null]                        |
        | @given.json                          | {"from":["a","file"]}              |
        | -                                    | {"from":"a pipe"}                  |

    @contract
    Scenario Outline: an invalid input is rejected before anything is sent
      Given a file "job.sh":
        """
        echo done
        """
      When I call "svc submit <given>"
      Then it exits with 2
      And standard error has "<said>"

      Examples:
        | given                             | said                                        |
        | job.sh --input foo                | or write --input k=text k:=json, @file or - |
        | job.sh --input a:=foo             | --input a:= is not followed by JSON         |
        | job.sh --input @none.json         | cannot read none.json: there is no such file |
        | job.sh --input @job.sh            | job.sh is not JSON                          |
        | job.sh --input a=b --input [1]    | JSON, @file and - cannot be combined               |
        | - --input -                       | standard input cannot be both               |
        | --graph g --input a=b -- x y      | cannot be combined                          |

  Rule: svc signal and svc cancel act on a run

    @CLI-044
    Scenario: a signal is sent with and without a payload
      When I submit the script "job.sh":
        """
        svc wait-signal first
        svc wait-signal second
        """
      And I call "svc signal {run} first"
      And I call "svc signal {run} second --payload -" with standard input:
        """
        {"by": "hand"}
        """
      Then the run succeeds
      And the log is:
        """
        null
        {"by":"hand"}
        """

    @contract
    Scenario: a run is cancelled with a reason
      When I submit the script "job.sh":
        """
        svc wait-signal never
        """
      Then the run waits for "signal" "never"
      When I call "svc cancel {run} --reason 'wrong branch'"
      Then it exits with 0
      And standard output has "cancelled"
      And standard output has "wrong branch"

  Rule: Files are checked without starting a run

    @CLI-054
    Scenario: every problem is reported with its file, line and column
      Given a file "good.sh":
        """
        svc step a -- true
        """
      And a file "bad.sh":
        """
        if true; then
          echo open
        """
      When I call "svc check good.sh"
      Then it exits with 0
      And standard output is "good.sh: ok"
      When I call "svc check good.sh bad.sh"
      Then it exits with 1
      # @contract
      And standard output matches "^bad\.sh:\d+:\d+: .*\(bash_syntax\)$"
      When I send "GET" to "{scoped}/runs"
      Then "runs" of the answer is "[]"

  Rule: svc agents ls lists the agents

    @CLI-058
    Scenario: an agent is listed with its properties
      When I call "svc agents ls"
      # @contract
      Then standard output matches "agt_\S+ +\S+ +online +\S+/\S+ +\d+ .*bash"
