#!/usr/bin/env perl
# Numbers invoices without a gap and without a repeat, in any language that can start a program.
use strict;
use warnings;

sub svc {
    my @arguments = @_;
    open my $pipe, '-|', 'svc', @arguments or die "svc: $!";
    local $/;
    my $out = <$pipe> // '';
    close $pipe;
    my $exit = $? >> 8;
    chomp $out;
    return ($exit, $out);
}

my $ledger = 'invoices of ' . ($ENV{BOOKS} =~ s{.*/}{}r);
my ($none, $last) = svc('state', 'get', 'last', '--entity', $ledger);
my $number = $none ? 1000 : $last;
my @written;
for my $customer (qw(acme globex initech)) {
    $number++;
    my ($failed) = svc('step', 'write', '--label', $customer, '--', 'sh', '-c',
        'printf "%s %s\n" "$1" "$2" > "$BOOKS/$1"', 'sh', $number, $customer);
    die "cannot write $number\n" if $failed;
    svc('state', 'set', 'last', $number, '--entity', $ledger);
    push @written, $number;
}
my (undef, $sum) = svc('step', 'count', '--', 'sh', '-c', 'ls "$BOOKS" | wc -l | tr -d " "');
svc('output', 'set', "first=$written[0]", "last=$written[-1]", "files:=$sum");
